"""Which tests pass every time, how long each takes, and which lines each executes."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.grading import layers_of, run_tests
from featuredel.languages import Language
from featuredel.model import (
    Baseline,
    Environment,
    Lines,
    Outcome,
    SetAside,
    Snapshot,
    TestId,
    TestRequest,
    TestResult,
    TestRun,
)
from featuredel.sandbox import Sandbox

MAX_ATTEMPTS = 4
"""Of one run: tests that end it are set aside, and the others have another chance."""

SHOWN = 5
"""Examples in the detail of a rejection."""

_ABSENT = TestResult("absent", 0.0, "it is not in every run: its id changes")
_SKIPS = frozenset[Outcome]({"skipped", "xfailed", "xpassed"})


def baseline(
    snapshot: Snapshot,
    environment: Environment,
    language: Language,
    sandbox: Sandbox,
    settings: Settings,
) -> Baseline:
    """Return the tests that pass in every run: as given, in other orders, with other hash seeds.

    Raises `Rejected` if there are none, or if the suite as a whole cannot be run.
    """
    suite = _Suite(snapshot, environment, language, sandbox, settings)
    runs = [suite.run(suite.request(index)) for index in range(settings.baseline_runs)]
    _reject_empty(runs[0], suite.aside.values())
    aside = _classified(suite, runs)
    stable = [test for test in sorted(_outcomes(runs)) if test not in aside]
    if not stable:
        raise Rejected("no stable passing tests", _summary(aside.values()))
    found = [*aside.values(), *_unimportable(runs[0])]
    plain = runs[1:] or runs
    return Baseline(
        tests=tuple(stable),
        durations_s=tuple(min(run.results[test].duration_s for run in plain) for test in stable),
        set_aside=tuple(sorted(found, key=lambda one: one.id)),
        lines=restricted(runs[0].lines or Lines((), {}, {}), stable),
    )


@dataclass(slots=True)
class _Suite:
    """The suite of a snapshot, and the tests that cannot stay in it."""

    snapshot: Snapshot
    environment: Environment
    language: Language
    sandbox: Sandbox
    settings: Settings
    aside: dict[TestId, SetAside] = field(default_factory=dict)
    known: tuple[TestId, ...] = ()

    def request(self, index: int) -> TestRequest:
        """Return the request for a run: the first as given, with lines, the others reordered.

        From the third on the run also stalls, which shows the tests that depend on the clock.
        """
        orders = ("given", "reversed", "shuffled")
        return TestRequest(
            collect_lines=index == 0,
            order=orders[min(index, 2)],  # type: ignore[arg-type]
            seed=self.settings.seed + index,
            stalls=index >= 2,
            timeout_s=self.settings.test_timeout_s,
            total_timeout_s=self.settings.suite_timeout_s,
        )

    def run(self, request: TestRequest) -> TestRun:
        """Run the suite to its end, without the tests that would end it before."""
        for _ in range(MAX_ATTEMPTS):
            ids = tuple(t for t in self.known if t not in self.aside) if self.aside else None
            layers = layers_of(self.environment, self.snapshot.root)
            run = run_tests(
                self.language, self.sandbox, self.environment, layers, replace(request, ids=ids)
            )
            self.known = self.known or tuple(run.results)
            culprits = _culprits(run)
            self.aside |= culprits
            if run.ended == "finished":
                return run
            if not culprits:
                raise _unfit(run, request)
        raise Rejected("suite hangs", _summary(self.aside.values()))

    def confirm(
        self, doubtful: Sequence[TestId], outcomes: Mapping[TestId, Sequence[TestResult]]
    ) -> dict[TestId, SetAside]:
        """Run the orders in which tests failed once more, and return why each is set aside.

        What fails again in the same order depends on it; what does not is unstable.
        """
        again: dict[int, TestRun] = {}
        found = {}
        for test in doubtful:
            results = outcomes[test]
            index = next(i for i, result in enumerate(results) if result.outcome != "passed")
            if index not in again:
                again[index] = self.run(replace(self.request(index), stalls=False))
            second = again[index].results.get(test, _ABSENT)
            kind = "unstable" if second.outcome == "passed" else "order-dependent"
            order = self.request(index).order
            reason = f"{results[index].outcome} when {order}: {results[index].reason}"
            found[test] = SetAside(test, kind, reason)  # type: ignore[arg-type]
        return found


def _classified(suite: _Suite, runs: Sequence[TestRun]) -> dict[TestId, SetAside]:
    """Return every test that cannot serve, and why."""
    aside = dict(suite.aside)
    doubtful: list[TestId] = []
    outcomes = _outcomes(runs)
    for test, results in outcomes.items():
        if test in aside:
            continue
        if not _is_text(test):
            aside[test] = SetAside(_as_text(test), "unstable", "its id is not valid Unicode")
        elif all(result.outcome == "passed" for result in results):
            continue
        elif results[0].outcome == "passed" and not _has(results, "absent", "timeout"):
            doubtful.append(test)
        else:
            aside[test] = _set_aside(test, results)
    return aside | suite.confirm(doubtful, outcomes)


def _unimportable(run: TestRun) -> list[SetAside]:
    return [
        SetAside(TestId(path), "failing", f"collection: {reason}")
        for path, reason in run.collection_errors.items()
    ]


def _culprits(run: TestRun) -> dict[TestId, SetAside]:
    """Return the tests that ended a run: the last one, and those that took all their time."""
    found = {
        test: SetAside(test, "slow", result.reason)
        for test, result in run.results.items()
        if result.outcome == "timeout"
    }
    if run.last is not None and run.last not in found:
        found[run.last] = SetAside(run.last, "failing", run.results[run.last].reason)
    return found


def _unfit(run: TestRun, request: TestRequest) -> Rejected:
    """Return why the suite as a whole cannot be run."""
    ran = sum(result.outcome != "absent" for result in run.results.values())
    if run.ended == "timeout" and not run.results:
        return Rejected(
            "suite hangs", f"collection took more than {request.total_timeout_s:g} s; {run.detail}"
        )
    if run.ended == "timeout":
        return Rejected(
            "suite too slow",
            f"{ran} of {len(run.results)} tests ended within {request.total_timeout_s:g} s; "
            "raise suite_timeout_s, or name fewer test roots",
        )
    if not run.results:
        return Rejected("collection fails", _collection_errors(run) or run.detail)
    return Rejected("suite crashes", f"after {ran} of {len(run.results)} tests; {run.detail}")


def _reject_empty(run: TestRun, aside: Collection[SetAside]) -> None:
    if run.results:
        return
    if aside:
        raise Rejected("no stable passing tests", _summary(aside))
    if run.collection_errors:
        raise Rejected("collection fails", _collection_errors(run))
    raise Rejected("no tests found", "the runner collected nothing; name test roots with 'test'")


def _outcomes(runs: Sequence[TestRun]) -> dict[TestId, list[TestResult]]:
    tests = dict.fromkeys(test for run in runs for test in run.results)
    return {test: [run.results.get(test, _ABSENT) for run in runs] for test in tests}


def _set_aside(test: TestId, results: Sequence[TestResult]) -> SetAside:
    """Return why a test does not pass in every run."""
    worst = next(result for result in results if result.outcome != "passed")
    reason = f"{worst.outcome}: {worst.reason}" if worst.reason else worst.outcome
    if _has(results, "timeout"):
        return SetAside(test, "slow", reason)
    if all(result.outcome in _SKIPS for result in results):
        return SetAside(test, "skipped", reason)
    if _has(results, "absent", "passed"):
        return SetAside(test, "unstable", reason)
    return SetAside(test, "failing", reason)


def _has(results: Iterable[TestResult], *outcomes: Outcome) -> bool:
    return any(result.outcome in outcomes for result in results)


def _summary(aside: Iterable[SetAside]) -> str:
    """Return how many tests were set aside and why, with examples."""
    found = sorted(aside, key=lambda one: one.id)
    counts = Counter(one.kind for one in found)
    numbers = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    examples = "; ".join(f"{one.id}: {one.reason}" for one in found[:SHOWN])
    return f"{numbers}; {examples}"


def _collection_errors(run: TestRun) -> str:
    errors = sorted(run.collection_errors.items())[:SHOWN]
    return "; ".join(f"{path}: {reason}" for path, reason in errors)


def _is_text(test: TestId) -> bool:
    return test == _as_text(test)


def _as_text(test: TestId) -> TestId:
    """Return the id with what is no Unicode written as escapes."""
    return TestId(test.encode(errors="backslashreplace").decode())


def restricted(lines: Lines, tests: Sequence[TestId]) -> Lines:
    """Return what `tests`, a sorted part of those in `lines`, executed."""
    wanted = frozenset(tests)
    keep = [test in wanted for test in lines.tests]
    packed: dict[int, int] = {}  # many lines share a bit set

    def pack(bits: int) -> int:
        if bits not in packed:
            digits = f"{bits:0{len(keep)}b}"[::-1]
            packed[bits] = int("".join(compress(digits, keep))[::-1] or "0", 2)
        return packed[bits]

    reached = {
        path: {line: kept for line, bits in by_line.items() if (kept := pack(bits))}
        for path, by_line in lines.reached.items()
    }
    return Lines(
        tests=tuple(test for test in lines.tests if test in wanted),
        reached={path: by_line for path, by_line in reached.items() if by_line},
        imported=lines.imported,
    )
