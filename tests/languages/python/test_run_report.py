import json
from typing import Any

import pytest

from featuredel.languages.python.run_report import test_run as run_of
from featuredel.model import TestId, TestRequest, TestRun
from featuredel.sandbox import ExecResult

A, B, C = (TestId(f"t.py::{name}") for name in "abc")


def result(*records: Any, **changes: Any) -> ExecResult:
    report = b"\n".join(r if isinstance(r, bytes) else json.dumps(r).encode() for r in records)
    fields: dict[str, Any] = {
        "exit_code": 0, "ended": "exited", "stdout": b"", "stderr": b"", "report": report + b"\n",
        "wall_s": 100.0, "cpu_s": 1.0,
    }  # fmt: skip
    return ExecResult(**{**fields, **changes})


def outcomes(run: TestRun) -> list[str]:
    return [result.outcome for result in run.results.values()]


PASSED = (["start", 0, 1.0], ["test", 0, "passed", 0.25, ""])
ITEMS = ["items", [A, B]]


def test_a_whole_run() -> None:
    run = run_of(
        TestRequest(),
        result(ITEMS, *PASSED, ["start", 1, 2], ["test", 1, "failed", 1, "E: x"], ["end", ""]),
    )
    assert (run.ended, run.detail, run.last) == ("finished", "", None)
    assert outcomes(run) == ["passed", "failed"]
    assert run.results[A].duration_s == 0.25
    assert run.results[B].reason == "E: x"


def test_a_crash_keeps_all_but_the_running_test() -> None:
    run = run_of(TestRequest(), result(ITEMS, *PASSED, ["start", 1, 2], exit_code=-11))
    assert (run.ended, run.last) == ("crashed", B)
    assert outcomes(run) == ["passed", "error"]
    assert "exit code -11" in run.detail


def test_time_that_runs_out_in_a_long_test_is_that_tests() -> None:
    run = run_of(TestRequest(timeout_s=60), result(ITEMS, ["start", 0, 30.0], ended="timeout"))
    assert (run.ended, run.last, outcomes(run)) == ("timeout", A, ["timeout", "absent"])


def test_time_that_runs_out_in_a_short_test_is_nobodys() -> None:
    run = run_of(TestRequest(timeout_s=60), result(ITEMS, ["start", 0, 99.0], ended="timeout"))
    assert (run.ended, run.last, outcomes(run)) == ("timeout", None, ["absent", "absent"])


@pytest.mark.parametrize("ended", ["output", "processes"])
def test_a_limit_that_is_passed_is_a_crash(ended: str) -> None:
    run = run_of(TestRequest(), result(ITEMS, ["start", 1, 1], ["end", ""], ended=ended))
    assert (run.ended, run.last) == ("crashed", B)
    assert ended in run.detail


def test_what_was_asked_for_and_not_reported_is_absent() -> None:
    run = run_of(TestRequest(ids=(A, C)), result(["items", [A]], *PASSED, ["end", ""]))
    assert {test: r.outcome for test, r in run.results.items()} == {A: "passed", C: "absent"}


def test_of_two_items_with_one_id_the_worse_counts() -> None:
    run = run_of(
        TestRequest(),
        result(["items", [A]], ["test", 0, "failed", 1, "x"], ["test", 0, "passed", 1, ""]),
    )
    assert outcomes(run) == ["failed"]


def test_a_collection_that_crashes_is_named() -> None:
    run = run_of(TestRequest(), result(["collecting", "t.py"], exit_code=1, stderr=b"boom"))
    assert run.ended == "crashed"
    assert "while collecting t.py" in run.detail
    assert "boom" in run.detail


def test_addresses_differ_from_run_to_run_and_are_left_out() -> None:
    run = run_of(TestRequest(), result(ITEMS, ["test", 0, "failed", 1, "<o at 0x7f12ab34cd>"]))
    assert run.results[A].reason == "<o at 0x...>"


@pytest.mark.parametrize(
    "record",
    [
        b"\xff\xfe", b"{", b"[" * 100_000, b"null", {"a": 1}, [], ["test"], ["test", "0", 1, 2, 3],
        ["test", 7, "passed", 0, ""], ["test", -1, "passed", 0, ""], ["test", 0, "great", 0, ""],
        ["test", 0, "passed", "long", ""], ["items", 5], ["items", [[], None]], ["start", None, 0],
        ["sets", [[1, 2]]], ["sets", 1], ["sets", [["/etc/x", 1, "f"], ["../x", 1, "f"]]],
        ["sets", [["a.py", -5, "f"], ["a.py", 1, "zz"]]], ["lines", [0], [9, -1, "x"]],
        ["lines", [[]], [0]], ["uses", 99, [1]], ["uses", 0, ["x"]], ["end", 5],
    ],
    ids=lambda record: str(record)[:30],
)  # fmt: skip
def test_hostile_records_change_nothing(record: Any) -> None:
    honest = (["sets", [["b.py", 3, "5"]]], ["lines", [0], [0]])
    clean = run_of(TestRequest(collect_lines=True), result(ITEMS, *honest, *PASSED, ["end", ""]))
    run = run_of(
        TestRequest(collect_lines=True), result(ITEMS, *honest, *PASSED, record, ["end", ""])
    )
    assert run == clean


def test_durations_stay_within_reason() -> None:
    run = run_of(TestRequest(), result(ITEMS, b'["test", 0, "passed", 1e999, ""]'))
    assert run.results[A].duration_s <= 1e6
