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
STRONG = frozenset({"constant", "parameter", "expected", "wrapped", "exception"})
"""What a value that is equal to everything, or an answer read from the test, passes."""

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


def main_form(files: Sequence[HiddenFile], pool: Sequence[Control], chance: random.Random) -> Drawn:
    """Draw how the tests are written in the main run, and the canaries among them."""
    chosen = [chance.choice(own) for own in _by_function(pool, {NEUTRAL}).values()]
    for kind in CANARIES:
        own = [one for one in pool if one.kind == kind]
        chosen += chance.sample(own, min(len(own), MAX_CANARIES))
    return applied(files, chosen)


def control_form(
    files: Sequence[HiddenFile], pool: Sequence[Control], tests: Collection[TestId],
    chance: random.Random,
) -> Drawn:  # fmt: skip
    """Draw one control for each of `tests` that has any; most of them from the strong ones."""
    kinds = {one.kind for one in pool} - {NEUTRAL, *CANARIES}
    chosen: list[Control] = []
    for own in _by_function(pool, kinds).values():
        if not any(test in tests for one in own for test in one.tests):
            continue
        strong = [one for one in own if one.kind in STRONG]
        weak = not strong or (
            chance.random() < WEAK_SHARE and any(c.kind in STRONG for c in chosen)
        )
        chosen.append(chance.choice(own if weak else strong))
    drawn = applied(files, chosen)
    return Drawn(drawn.files, {test: one for test, one in drawn.of.items() if test in tests})


def uncontrolled(pool: Sequence[Control], f2p: Iterable[TestId]) -> tuple[TestId, ...]:
    """Return the tests of which the pool holds no control."""
    apart = {NEUTRAL, *CANARIES}
    covered = {test for one in pool if one.kind not in apart for test in one.tests}
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


def judge_canaries(run: TestRun, drawn: Drawn, tests: Collection[TestId]) -> ControlResult:
    """Say what became of the canaries of a main run; `tests` are all others that were asked for.

    One that must pass and does not may owe that to a fixture, or to a module that does not load:
    both are the solution's to break. That its assertion fails is nobody's; nor that it is
    missing where other tests of its file passed.
    """
    canaries = {test: one for test, one in drawn.of.items() if one.kind in CANARIES}
    if not canaries:
        return ControlResult("canary", "not run", (), "the row holds none")
    alive = {_file(test) for test in tests if _outcome(run, test) == "passed"}
    seen = {t: _canary(run, t, one.kind, alive) for t, one in canaries.items()}
    return summed("canary", seen, {test: _outcome(run, test) for test in canaries})


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


def judge_controls(run: TestRun, again: TestRun | None, drawn: Drawn) -> list[ControlResult]:
    """Say by kind what became of tests that must fail; one is broken that passes twice."""
    found = []
    for kind in sorted({one.kind for one in drawn.of.values()}):
        own = [test for test, one in drawn.of.items() if one.kind == kind]
        seen: dict[TestId, ControlOutcome] = {}
        for test in own:
            outcome = _outcome(run, test)
            if outcome == "passed":
                twice = again is not None and _outcome(again, test) == "passed"
                seen[test] = "broken" if twice else "inconclusive"
            else:
                seen[test] = "held" if outcome in ("failed", "error") else "inconclusive"
        found.append(summed(kind, seen, {test: _outcome(run, test) for test in own}))
    return found


def judge_ablation(run: TestRun, tests: Collection[TestId]) -> ControlResult:
    """Say which tests pass without what the submission added or changed; never a verdict."""
    seen: dict[TestId, ControlOutcome] = {
        test: "inconclusive" if _outcome(run, test) == "passed" else "held" for test in tests
    }
    return summed("ablation", seen, {test: _outcome(run, test) for test in tests})


def judge_report(run: TestRun, tests: Collection[TestId], drawn: Drawn) -> ControlResult:
    """Say whether the runner's report and its exit status fit together; never a verdict."""
    more = tuple(sorted(set(run.results) - {*tests, *drawn.of}))
    failed = any(result.outcome != "passed" for result in run.results.values())
    odd = run.ended == "finished" and run.exit_code not in ((1, 5) if failed else (0,))
    notes = [f"{len(more)} tests were reported that nobody asked for"] if more else []
    notes += [f"the runner ended early: {run.ended}"] if run.ended != "finished" else []
    notes += [f"exit status {run.exit_code} does not fit what was reported"] if odd else []
    notes += [f"{run.left} processes were left"] if run.left else []
    return ControlResult(
        "report", "inconclusive" if notes else "held", more[:SHOWN], "; ".join(notes)
    )


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


def summed(
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
