"""From the probe's report to a `TestRun`.

The report comes from a process in which hostile code ran: every record is checked, what does not
fit is skipped, and sizes are bounded.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, get_args

from featuredel.languages.python.run_lines import LineRecords
from featuredel.model import Outcome, TestId, TestRequest, TestResult, TestRun
from featuredel.sandbox import ExecResult

MAX_TESTS = 500_000
MAX_RECORD_BYTES = 64 << 20
MAX_REASON = 300
MAX_ERRORS = 1000
MAX_DURATION_S = 1e6
DETAIL_BYTES = 2000

_OUTCOMES = frozenset(get_args(Outcome))
_WORST = ("passed", "xpassed", "xfailed", "skipped", "absent", "error", "failed", "timeout")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")


def test_run(request: TestRequest, result: ExecResult) -> TestRun:
    """Return what the tests did. Tests that were asked for and not reported are `absent`."""
    report = _Report()
    for record in _records(result.report):
        report.take(record)
    ended, why = _ending(report, result)
    last = report.last(request, result)
    results = report.results()
    if last is not None:
        outcome: Outcome = "timeout" if ended == "timeout" else "error"
        results[last] = TestResult(outcome, 0.0, f"the run ended in it: {why}")
    for test in request.ids or ():
        results.setdefault(test, TestResult("absent", 0.0))
    return TestRun(
        results=results,
        collection_errors=report.unimportable,
        ended=ended,
        detail="" if ended == "finished" else _detail(report, result, why),
        cpu_s=result.cpu_s,
        wall_s=result.wall_s,
        lines=report.lines.lines(report.tests) if request.collect_lines else None,
        last=last,
        exit_code=result.exit_code,
        left=result.left,
    )


@dataclass(slots=True)
class _Report:
    """All that was reported so far."""

    tests: list[TestId] = field(default_factory=list)
    found: dict[TestId, TestResult] = field(default_factory=dict)
    unimportable: dict[str, str] = field(default_factory=dict)
    lines: LineRecords = field(default_factory=LineRecords)
    collecting: str = ""
    running: int | None = None
    running_since_s: float = 0.0  # from the start of the run, nearly
    end: str | None = None

    def take(self, record: list[Any]) -> None:
        """Take in one record, whatever it is."""
        match record:
            case ["items", [*ids]]:
                names = (TestId(i) for i in ids if isinstance(i, str))
                self.tests.extend(names)
                del self.tests[MAX_TESTS:]
            case ["collecting", str(path)]:
                self.collecting = path
            case ["unimportable", str(path), str(reason)]:
                if len(self.unimportable) < MAX_ERRORS:
                    self.unimportable[path] = _clean(reason)
            case ["start", int(number), int() | float() as since_s]:
                self.running, self.running_since_s = number, float(since_s)
            case ["test", int(number), str(outcome), int() | float() as duration_s, str(reason)]:
                self._result(number, outcome, float(duration_s), reason)
            case ["end", str(why)]:
                self.end = why
            case _:
                self.lines.take(record)

    def _result(self, number: int, outcome: str, duration_s: float, reason: str) -> None:
        test = self.test(number)
        if test is None or outcome not in _OUTCOMES:
            return
        if self.running != number and outcome == "passed":  # every run of one is told of first
            outcome, reason = "error", "reported, but not begun"
        self.running = None if self.running == number else self.running
        result = TestResult(outcome, _bounded(duration_s), _clean(reason))  # type: ignore[arg-type]
        before = self.found.get(test)
        # one id can stand for two items; the worse one counts
        if before is None or _WORST.index(before.outcome) < _WORST.index(result.outcome):
            self.found[test] = result

    def test(self, number: int | None) -> TestId | None:
        """Return the id of a test by its number."""
        if number is None or not 0 <= number < len(self.tests):
            return None
        return self.tests[number]

    def results(self) -> dict[TestId, TestResult]:
        """Return every test that was collected."""
        return {test: self.found.get(test, TestResult("absent", 0.0)) for test in self.tests}

    def last(self, request: TestRequest, result: ExecResult) -> TestId | None:
        """Return the test that the run ended in.

        Where time ran out it is to blame only if it took longer than a test may.
        """
        test = self.test(self.running)
        if test is None or test in self.found:
            return None
        took_s = result.wall_s - self.running_since_s
        return None if result.ended == "timeout" and took_s < request.timeout_s else test


def _ending(report: _Report, result: ExecResult) -> tuple[Any, str]:
    if result.ended == "timeout":
        return "timeout", "out of time"
    if report.end == "too many timeouts":
        return "too many timeouts", "one after the other"
    if report.end == "" and report.running is None and result.ended == "exited":
        return "finished", ""
    if result.ended == "exited":
        return "crashed", report.end or f"exit code {result.exit_code}"
    return "crashed", f"it passed a limit: {result.ended}"


def _detail(report: _Report, result: ExecResult, why: str) -> str:
    output = (result.stdout[-DETAIL_BYTES:] + b"\n" + result.stderr[-DETAIL_BYTES:]).strip()
    last = report.test(report.running)
    if last is not None:
        why += f"; in {last}"
    elif not report.tests and report.collecting:
        why += f"; while collecting {report.collecting}"
    return f"{why}\n{output.decode(errors='replace')}".strip()


def _bounded(duration_s: float) -> float:
    return min(max(0.0, duration_s), MAX_DURATION_S)


def _clean(reason: str) -> str:
    """Return the reason without addresses, which differ from run to run."""
    return _ADDRESS.sub("0x...", reason[:MAX_REASON])


def _records(report: bytes) -> Iterator[list[Any]]:
    start = 0
    while (end := report.find(b"\n", start)) >= 0:
        if end - start <= MAX_RECORD_BYTES:
            try:
                record = json.loads(report[start:end])
            except (ValueError, RecursionError):
                record = None
            if isinstance(record, list):
                yield record
        start = end + 1
