"""Gates that run the hidden tests: without the feature, and with it again.

before   the task tree with the hidden files: what of T fails is F2P
after    the gold patch and the hidden files: F2P and P2P pass
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from featuredel import trees
from featuredel.errors import Rejected
from featuredel.gates.trial import Trial, gate, listed, passed, reasons, some, told
from featuredel.gates.visible import MAX_RERUNS, check_green, request
from featuredel.grading import outcome_of
from featuredel.model import Gate, TestId, TestRun

MAX_ARTEFACTS = 0.25
"""Of the tests beside T, at most this part may come out otherwise in the hidden files' form."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Runs of the tests that matter, before the gold patch and after it.

    Not each run is of all tests. Of one that is in no run after, the baseline says what it does
    there: nothing that it runs is other than in the snapshot.
    """

    tests: tuple[TestId, ...]
    reached: frozenset[TestId]  # of T, those among them; the rest passes in the visible suite
    beside: frozenset[TestId]  # that rest
    hidden_tests: frozenset[TestId]
    before: tuple[TestRun, ...]
    after: tuple[TestRun, ...]

    @property
    def failing(self) -> frozenset[TestId]:
        """Those of T that passed in none of the runs before."""
        return self.reached.difference(*(passed(run.results, self.reached) for run in self.before))

    @property
    def still(self) -> frozenset[TestId]:
        """The tests that passed in every run before."""
        return _always(self.before, self.tests)

    @property
    def good(self) -> frozenset[TestId]:
        """The tests that passed in every run after."""
        return _always(self.after, self.tests)

    @property
    def restored(self) -> frozenset[TestId]:
        """The tests that were run after."""
        return frozenset(test for run in self.after for test in run.results)

    @property
    def deciding(self) -> frozenset[TestId]:
        """T, and what did not pass: of all others the baseline has said how stable they are."""
        return frozenset(self.tests) - (self.still & self.good - self.reached)

    @property
    def f2p(self) -> tuple[TestId, ...]:
        """T that fails before and passes after; what the visible tree holds is no secret."""
        return tuple(sorted(self.failing & self.good & self.hidden_tests))


@dataclass(frozen=True, slots=True)
class Settled:
    """What all runs say of the tests."""

    f2p: tuple[TestId, ...]
    excluded: frozenset[TestId]
    gates: tuple[Gate, ...]


def once(trial: Trial, earlier: tuple[TestRun, ...] = ()) -> Measured:
    """Measure F2P, and see that the gold patch restores it.

    `earlier` are runs of some of the tests without the feature. They count as repeats where they
    saw the same; where they did not, the exact tree is asked again.
    """
    tests = affected(trial)
    every = frozenset(trial.deletion.feature.tests) & frozenset(trial.baseline.tests)
    reached = every & frozenset(tests)
    hidden_tests = frozenset(trial.deletion.hidden_tests)
    before = _run(trial, trial.hidden, tests, 0)
    _check_loads(trial, before, reached)
    agreeing = tuple(_agreeing(run, before) for run in earlier)
    measured = Measured(tests, reached, every - reached, hidden_tests, (before, *agreeing), ())
    _check_bites(trial, measured.failing & hidden_tests, every)
    _check_others(trial, before, frozenset(tests) - reached)
    changed = unproven(trial, tests)
    after = (_run(trial, trial.gold, changed, 0),) if changed else ()
    _check_restores(after, measured.failing)
    return replace(measured, after=after)


def _agreeing(run: TestRun, other: TestRun) -> TestRun:
    """Return a run without the tests that come out otherwise in another."""
    good, known = passed(run.results, run.results), passed(other.results, other.results)
    results = {
        test: result
        for test, result in run.results.items()
        if test in other.results and (test in good) == (test in known)
    }
    return replace(run, results=results)


def repeated(trial: Trial, measured: Measured) -> Measured:
    """Run what decides as often as the settings ask, in other orders and with other hash seeds."""
    before, after = measured.before, measured.after
    for repeat in range(1, trial.settings.repeats):
        if left := _seldom(before, measured.deciding, repeat):
            before += (_run(trial, trial.hidden, left, repeat),)
        if left := _seldom(after, measured.deciding, repeat):
            after += (_run(trial, trial.gold, left, repeat),)
    return replace(measured, before=before, after=after)


def unproven(trial: Trial, tests: tuple[TestId, ...]) -> tuple[TestId, ...]:
    """Return the tests that the baseline does not speak for where the feature is there.

    A hidden file with placeholders is not the snapshot's; one without tests can change them all.
    """
    if trees.tree_hash(trial.gold) == trial.snapshot.tree:
        return ()
    modules, other = {_file(test) for test in trial.baseline.tests}, _other_files(trial).keys()
    return tuple(t for t in tests if _file(t) in other) if other <= modules else tests


def affected(trial: Trial) -> tuple[TestId, ...]:
    """Return what is hidden, and the tests that the placeholders of hidden files may change.

    The visible suite speaks for the rest. Where a helper or a conftest has placeholders, it can
    change every test.
    """
    tests, files = trial.baseline.tests, {file.path: file for file in trial.deletion.hidden_files}
    other = _other_files(trial)
    inside: dict[str, list[TestId]] = {path: [] for path in other}
    for test in tests:
        if _file(test) in other:
            inside[_file(test)].append(test)
    if not all(inside.values()):
        return tests
    changed = set(trial.deletion.hidden_tests)
    for path, old in other.items():
        new = files[path].content
        changed |= trial.language.touched(old, new, inside[path]) if old else set(inside[path])
    return tuple(test for test in tests if test in changed)


def _other_files(trial: Trial) -> Mapping[str, bytes | None]:
    """Return the hidden files that are not the snapshot's, as they are there; None is absent.

    One that no test of the baseline ran a line of, or loaded, is nothing to any of them.
    """
    root, lines = trial.snapshot.root, trial.baseline.lines
    found = {
        file.path: trees.read(root, file.path) if (root / file.path).exists() else None
        for file in trial.deletion.hidden_files
    }
    new = {file.path: file.content for file in trial.deletion.hidden_files}
    known = {*lines.reached, *lines.imported, *map(_file, trial.baseline.tests)}
    return {
        path: old
        for path, old in found.items()
        if old != new[path] and (old is None or path in known)
    }


def _always(runs: tuple[TestRun, ...], tests: tuple[TestId, ...]) -> frozenset[TestId]:
    """Return the tests that passed in every run that they were part of."""
    return frozenset(
        test
        for test in tests
        if all(outcome_of(run.results, test) == "passed" for run in runs if test in run.results)
    )


def _seldom(runs: tuple[TestRun, ...], tests: frozenset[TestId], times: int) -> tuple[TestId, ...]:
    """Return the tests that were part of a run, but of no more than so many."""
    count = Counter(test for run in runs for test in run.results)
    return tuple(sorted(test for test in tests if 0 < count[test] <= times))


# --- before and after ----------------------------------------------------------------------


def _run(trial: Trial, tree: Path, tests: tuple[TestId, ...], repeat: int) -> TestRun:
    return trial.fork_settled(trial.request(tests, repeat=repeat), tree)


def _check_loads(trial: Trial, run: TestRun, reached: frozenset[TestId]) -> None:
    """Refuse a module that dies at collection: it would make unrelated tests count."""
    hidden = {file.path for file in trial.deletion.hidden_files}
    inside: dict[str, set[TestId]] = {}
    for test in trial.baseline.tests:
        inside.setdefault(_file(test), set()).add(test)
    dead = {
        path: why
        for path, why in run.collection_errors.items()
        if (path in hidden or path in inside) and not (path in inside and inside[path] <= reached)
    }
    if dead:
        detail = listed(f"{path}: {why}" for path, why in dead.items())
        raise Rejected("a hidden test module does not load without the feature", detail)


def _check_bites(trial: Trial, f2p: frozenset[TestId], reached: frozenset[TestId]) -> None:
    if len(f2p) < trial.settings.min_tests:
        detail = f"{len(f2p)} of {len(reached)} tests fail without the feature"
        raise Rejected("too few tests fail without the feature", detail)
    if len(f2p) < trial.settings.min_f2p_share * len(reached):
        detail = (
            f"{len(f2p)} of {len(reached)}; these pass, or are visible: {listed(reached - f2p)}"
        )
        raise Rejected("too large a share of the tests passes without the feature", detail)


def _check_others(trial: Trial, run: TestRun, others: frozenset[TestId]) -> None:
    """Refuse what changes tests beside T, and say whether the deletion or the hiding did."""
    shaken = others - passed(run.results, others)
    seen = tuple(sorted(shaken - frozenset(trial.deletion.hidden_tests)))
    if seen:
        check_green(trial, trial.run(request(trial, seen), trial.task), seen)
    if len(shaken) > MAX_ARTEFACTS * len(others):
        raise Rejected("hiding the tests changes too many others", told(run.results, shaken))


def _check_restores(after: tuple[TestRun, ...], f2p: frozenset[TestId]) -> None:
    for run in after:
        broken = f2p & run.results.keys() - passed(run.results, f2p)
        if len(broken) > MAX_RERUNS or 2 * len(broken) > len(f2p):
            raise Rejected("the gold patch does not restore the tests", told(run.results, broken))


def settled(trial: Trial, measured: Measured) -> Settled:
    """Sort the tests by what all runs say of them. Raises `Rejected` if too few agree."""
    reached, failing, still, good = (
        measured.reached, measured.failing, measured.still, measured.good,
    )  # fmt: skip
    f2p = frozenset(measured.f2p)
    _check_stable(trial, measured)
    wavering = (reached - failing - still) | (failing - good)
    passing = (reached & still & good) | measured.beside
    named = trial.language.names_deleted(
        trial.snapshot.root, trial.deletion, tuple(sorted(passing))
    )
    artefacts = frozenset(measured.tests) - (still & good) - f2p - wavering
    first = measured.before[0].results
    ran = measured.restored
    late = [test for test in f2p if outcome_of(first, test) in ("timeout", "absent")]
    gates = (
        gate(
            "fails without the feature", tests=len(reached | measured.beside), f2p=len(f2p),
            reasons=reasons(first, f2p), late_or_absent=some(late),
            still_pass=len((reached & still) | measured.beside), named=some(named),
            changed_by_hiding=some(artefacts),
        ),
        gate(
            "gold restores", tests=len(ran), passed=len(good & ran),
            rest="identical to the snapshot, so the baseline speaks for it",
        ),
        gate("repeats", runs=len(measured.before), unstable=some(wavering)),
    )  # fmt: skip
    return Settled(measured.f2p, wavering | named | artefacts, gates)


def _check_stable(trial: Trial, measured: Measured) -> None:
    failing = measured.failing & measured.restored
    never = failing.difference(*(passed(run.results, failing) for run in measured.after))
    if never:
        detail = told(measured.after[0].results, never)
        raise Rejected("the gold patch does not restore the tests", detail)
    enough = trial.settings.min_f2p_share * len(measured.reached | measured.beside)
    if len(measured.f2p) < max(trial.settings.min_tests, enough):
        lost = measured.reached - frozenset(measured.f2p)
        raise Rejected("unstable", f"tests change from run to run, or never fail: {listed(lost)}")


def _file(test: TestId) -> str:
    return test.partition("::")[0]
