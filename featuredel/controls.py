"""Controls at grading: what is drawn from a task's pool, and what its outcomes say.

All of it happens outside the sandbox. A control that came out wrong is `broken`, which takes the
reward; what cannot be told is `inconclusive`, which takes nothing.
"""

import dataclasses
import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from featuredel.model import (
    CANARY_FAILS,
    CANARY_PASSES,
    NEUTRAL,
    Control,
    ControlOutcome,
    ControlResult,
    HiddenFile,
    Outcome,
    TestId,
    TestRun,
)
from featuredel.patches import spliced

CANARIES = (CANARY_PASSES, CANARY_FAILS)
_APART = frozenset({NEUTRAL, *CANARIES})
_WORST: tuple[ControlOutcome, ...] = ("not run", "held", "inconclusive", "broken")
STRONG = frozenset({"constant", "parameter", "expected", "wrapped", "exception"})
"""What a value that is equal to everything, or an answer read from the test, passes."""

SURE = frozenset({"raise", "expected", "wrapped", "exception"})
"""What no answer passes, right or wrong: what is wanted is drawn, or an assertion is false."""

NEGATED = "negated"
"""Implied only where a test does the same each time."""

WEAK_SHARE = 0.125
"""So often a test that has stronger controls is given any of its controls."""

MAX_CANARIES = 3
"""Canaries of each kind in a run."""

LONG_S, QUICK = 0.2, 100
"""A test of which gold needs so long is not expected to pass in so small a part of it."""

SHOWN = 20
"""Tests that a result names."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Hidden files in the form in which they are run, and what was drawn for each test."""

    files: tuple[HiddenFile, ...]
    of: Mapping[TestId, Control]

    def kind(self, test: TestId) -> str:
        """Return of which kind the form of a test is; what is left as it is, is neutral."""
        return self.of[test].kind if test in self.of else NEUTRAL


@dataclass(frozen=True, slots=True)
class Draw:
    """Two runs of the same tests, of which nothing in them says which is which.

    Each test that has a control is changed so in one of them, and counts in the other.
    """

    halves: tuple[Drawn, Drawn]
    ids: tuple[frozenset[TestId], frozenset[TestId]]  # what is asked of each
    counts: Mapping[TestId, int]  # of F2P and P2P, the half that says what became of it


def applied(files: Sequence[HiddenFile], controls: Sequence[Control]) -> Drawn:
    """Return the hidden files with `controls` made. Raises `ValueError` if one does not fit."""
    patches: dict[str, list[bytes]] = {}
    for control in sorted(controls, key=lambda one: one.kind in CANARIES):
        patches.setdefault(control.path, []).append(control.patch)
    known = {file.path for file in files}
    changed = [
        dataclasses.replace(file, content=spliced(file.content, patches[file.path]))
        if file.path in patches
        else file
        for file in files
    ]
    changed += [
        HiddenFile(path, 0o100644, spliced(b"", own))
        for path, own in patches.items()
        if path not in known
    ]
    return Drawn(tuple(changed), {test: one for one in controls for test in one.tests})


def draw(
    files: Sequence[HiddenFile], pool: Sequence[Control], f2p: Collection[TestId],
    p2p: Collection[TestId], chance: random.Random,
) -> Draw:  # fmt: skip
    """Draw two runs. F2P, and what else has controls, are in both; the files of P2P are dealt."""
    chosen: tuple[list[Control], list[Control]] = ([], [])
    dealt: dict[str, int] = {}
    counts = {test: dealt.setdefault(_file(test), chance.randrange(2)) for test in (*f2p, *p2p)}
    both = set(f2p)
    neutral = _by_function(pool, {NEUTRAL})
    breaking = _by_function(pool, {one.kind for one in pool} - _APART)
    for function in sorted({*neutral, *breaking}):
        plain, changed = neutral.get(function, []), breaking.get(function, [])
        tests = {test for one in (*plain, *changed) for test in one.tests}
        # what is not F2P counts where the rest of its file is
        side = chance.randrange(2) if tests.intersection(f2p) else dealt.get(function[0], 0)
        counts |= dict.fromkeys(tests.intersection(counts), side)
        both |= tests.intersection(counts)
        for place in (0, 1):
            own = changed if changed and place != side else plain
            strong = any(one.kind in STRONG for half in chosen for one in half)
            sure = any(one.kind in SURE for one in chosen[place])
            if own:
                form = _drawn(own, chance, must_be_strong=not strong, must_be_sure=not sure)
                chosen[place].append(form)
    for kind in CANARIES:
        known = [one for one in pool if one.kind == kind]
        drawn = chance.sample(known, min(len(known), MAX_CANARIES))
        for half in chosen:  # the same, for the files around the tests must not differ
            half += drawn
    halves = (applied(files, chosen[0]), applied(files, chosen[1]))
    ids = [
        both | {test for test, side in counts.items() if side == place} | _canaries(half)
        for place, half in enumerate(halves)
    ]
    return Draw(halves, (frozenset(ids[0]), frozenset(ids[1])), counts)


def _drawn(
    own: Sequence[Control], chance: random.Random, *, must_be_strong: bool, must_be_sure: bool
) -> Control:
    """Draw one of the forms of a function, most often a strong one where there is one."""
    strong = [one for one in own if one.kind in STRONG]
    sure = [one for one in strong if one.kind in SURE] if must_be_sure else []
    weak = not strong or (not must_be_strong and chance.random() < WEAK_SHARE)
    return chance.choice(own if weak else sure or strong)


def _canaries(drawn: Drawn) -> frozenset[TestId]:
    return frozenset(test for test, one in drawn.of.items() if one.kind in CANARIES)


def uncontrolled(pool: Sequence[Control], f2p: Iterable[TestId]) -> tuple[TestId, ...]:
    """Return the tests of which the pool holds no control."""
    covered = {test for one in pool if one.kind not in _APART for test in one.tests}
    return tuple(sorted(set(f2p) - covered))


def _by_function(
    pool: Sequence[Control], kinds: Collection[str]
) -> Mapping[tuple[str, str], list[Control]]:
    found: dict[tuple[str, str], list[Control]] = {}
    for one in pool:
        if one.kind in kinds and one.tests:
            found.setdefault((one.path, one.tests[0].partition("[")[0]), []).append(one)
    return found


# --- what came of it ------------------------------------------------------------------------


def judge_canaries(runs: Sequence[TestRun], draw: Draw) -> ControlResult:
    """Say what became of the canaries.

    One that must pass and does not may owe that to a fixture, or to a module that does not load:
    both are the solution's to break. That its assertion fails is nobody's; nor that it is
    missing where other tests of its file passed.
    """
    seen: dict[TestId, ControlOutcome] = {}
    outcomes: dict[TestId, Outcome] = {}
    for run, half in zip(runs, draw.halves, strict=True):
        canaries = _canaries(half)
        passed = (t for t in run.results if t not in canaries and _outcome(run, t) == "passed")
        alive = {_file(test) for test in passed}
        for test in canaries:
            verdict = _canary(run, test, half.of[test].kind, alive)
            if test not in seen or _WORST.index(verdict) > _WORST.index(seen[test]):
                seen[test], outcomes[test] = verdict, _outcome(run, test)
    if not seen:
        return ControlResult("canary", "not run", (), "the row holds none")
    return _summed("canary", seen, outcomes)


def _canary(run: TestRun, test: TestId, kind: str, alive: Collection[str]) -> ControlOutcome:
    outcome = _outcome(run, test)
    if outcome == "absent":
        lost = run.ended == "finished" and _file(test) in alive
        return "broken" if lost else "inconclusive"
    if kind == CANARY_FAILS:
        verdicts: Mapping[Outcome, ControlOutcome] = {"passed": "broken", "failed": "held"}
        return verdicts.get(outcome, "inconclusive")
    if outcome == "failed" and run.results[test].reason.startswith("AssertionError"):
        return "broken"
    return "held" if outcome == "passed" else "inconclusive"


def doubtful(runs: Sequence[TestRun], draw: Draw, good: Collection[TestId]) -> frozenset[TestId]:
    """Return the tests that pass negated: they do not do the same each time, or are forged.

    Either way that they passed where they count is worth nothing. All other changed tests can
    pass for no solution, not even once.
    """
    return frozenset(
        test
        for run, half in zip(runs, draw.halves, strict=True)
        for test in _broken(half, good)
        if half.kind(test) == NEGATED and _outcome(run, test) == "passed"
    )


def judge_controls(
    runs: Sequence[TestRun], draw: Draw, good: Collection[TestId]
) -> list[ControlResult]:
    """Say by kind what became of tests that must fail, of those that passed where they count.

    One that did not, and passes in a form that no answer passes, is broken as well: who forges
    what one half reports shows there alone.
    """
    seen: dict[str, dict[TestId, ControlOutcome]] = {}
    outcomes: dict[TestId, Outcome] = {}
    for run, half in zip(runs, draw.halves, strict=True):
        for test in _broken(half, good):
            kind, outcome = half.kind(test), _outcome(run, test)
            if test not in good and outcome != "passed":
                continue
            verdict: ControlOutcome = "held" if outcome in ("failed", "error") else "inconclusive"
            if outcome == "passed" and kind != NEGATED:
                verdict = "broken"
            seen.setdefault(kind, {})[test] = verdict
            outcomes[test] = outcome
    found = [_summed(kind, own, outcomes) for kind, own in sorted(seen.items())]
    return found or [ControlResult("changed tests", "not run", (), "none that passed has one")]


def _broken(half: Drawn, good: Collection[TestId]) -> list[TestId]:
    return [
        test
        for test in half.of
        if half.kind(test) not in _APART and (test in good or half.kind(test) in SURE)
    ]


def judge_ablation(run: TestRun, tests: Collection[TestId]) -> ControlResult:
    """Say which tests pass without what the submission added or changed; never a verdict."""
    seen: dict[TestId, ControlOutcome] = {
        test: "inconclusive" if _outcome(run, test) == "passed" else "held" for test in tests
    }
    return _summed("ablation", seen, {test: _outcome(run, test) for test in tests})


def judge_report(runs: Sequence[TestRun], draw: Draw) -> ControlResult:
    """Say whether each runner's report and its exit status fit together; never a verdict."""
    notes: list[str] = []
    more: set[TestId] = set()
    for run, asked in zip(runs, draw.ids, strict=True):
        own = set(run.results) - asked
        more |= own
        failed = any(result.outcome != "passed" for result in run.results.values())
        odd = run.ended == "finished" and run.exit_code not in ((1, 5) if failed else (0,))
        notes += [f"{len(own)} tests were reported that nobody asked for"] if own else []
        notes += [f"the runner ended early: {run.ended}"] if run.ended != "finished" else []
        notes += [f"exit status {run.exit_code} does not fit what was reported"] if odd else []
        notes += [f"{run.left} processes were left"] if run.left else []
    outcome: ControlOutcome = "inconclusive" if notes else "held"
    return ControlResult("report", outcome, tuple(sorted(more))[:SHOWN], "; ".join(notes))


def judge_durations(
    took_s: Mapping[TestId, float], usual_s: Mapping[TestId, float]
) -> ControlResult:
    """Say which tests passed in next to no time though gold needs long; never a verdict."""
    long = {t: s for t, s in usual_s.items() if s >= LONG_S and t in took_s}
    if not long:
        return ControlResult("durations", "not run", (), "no test of it takes long, or none passed")
    quick = tuple(sorted(t for t, s in long.items() if took_s[t] < s / QUICK))
    if quick:
        return ControlResult("durations", "inconclusive", quick[:SHOWN], f"{QUICK} times as fast")
    return ControlResult("durations", "held", tuple(sorted(long))[:SHOWN], f"{len(long)} tests")


def _summed(
    kind: str, seen: Mapping[TestId, ControlOutcome], outcomes: Mapping[TestId, Outcome]
) -> ControlResult:
    """Return what tests of a kind say together: the worst of them, and which it is."""
    worse: tuple[ControlOutcome, ...] = ("broken", "inconclusive")
    for worst in worse:
        blamed = sorted(test for test, one in seen.items() if one == worst)
        if blamed:
            counts = Counter(outcomes[test] for test in blamed)
            told = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
            return ControlResult(kind, worst, tuple(blamed[:SHOWN]), f"{told} of {len(seen)}")
    return ControlResult(kind, "held", tuple(sorted(seen)[:SHOWN]), f"{len(seen)} tests")


def _outcome(run: TestRun, test: TestId) -> Outcome:
    result = run.results.get(test)
    return result.outcome if result is not None else "absent"


def _file(test: TestId) -> str:
    return test.partition("::")[0]
