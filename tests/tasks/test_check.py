"""What `check` holds against a visible suite."""

from pathlib import Path

import pytest
from candidates import NoSandbox, environment
from samples import task

from featuredel.model import TestId, TestResult, TestRun
from featuredel.tasks import check

GOOD, OTHER = TestId("tests/test_a.py::test_good"), TestId("tests/test_b.py::test_other")


def faults(
    monkeypatch: pytest.MonkeyPatch, errors: dict[str, str], outcome: str = "passed"
) -> list[str]:
    results = {GOOD: TestResult(outcome, 0.1, ""), OTHER: TestResult("failed", 0.1, "")}  # type: ignore[arg-type]
    run = TestRun(results, errors, "finished", "", 0.1, 0.1)
    monkeypatch.setattr(check, "run_tests", lambda *_: run)
    monkeypatch.setattr(check, "p2p", lambda *_: [GOOD])
    monkeypatch.setattr(check, "_known", lambda *_: [GOOD, OTHER, TestId("tests/test_c.py")])
    return check._visible_suite(task(), "", environment(), NoSandbox(), Path())


def test_only_p2p_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults(monkeypatch, {}) == []
    assert faults(monkeypatch, {}, "failed") == [f"visible suite: {GOOD} failed"]


def test_a_module_that_does_not_load_counts_if_it_holds_tests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    aside = {"tests/test_c.py": "ImportError", "tests/test_a.py::TestSuite": "has a __init__"}
    assert faults(monkeypatch, aside) == []
    for path in ("tests/test_a.py", "tests/test_b.py"):  # one of what was set aside, too
        (fault,) = faults(monkeypatch, {path: "ImportError: x"})
        assert fault.startswith("collection: ") and "ImportError: x" in fault
