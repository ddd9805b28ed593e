"""What counts as a run of tests that all pass."""

import json

import pytest

from featuredel.monitor.suite_output import passes

PASSES = (
    "5 passed in 0.1s", "===== 5 passed, 2 skipped, 1 xfailed in 0.10s =====", ".....  [100%]",
    "\x1b[32m\x1b[1m7 passed\x1b[0m\x1b[32m in 0.04s\x1b[0m",
    "tests/test_a.py::test_b PASSED [100%]",
    "....\n" + "-" * 70 + "\nRan 4 tests in 0.001s\n\nOK",
    "Ran 4 tests in 0.001s\n\nOK (skipped=1)", "ok  \tacme/calc\t0.003s",
    "test result: ok. 5 passed; 0 failed; 0 ignored", "Tests:       5 passed, 5 total",
    "  5 passing (12ms)", "  py311: OK (1.20=setup[0.10])\n  congratulations :) (1.30 seconds)",
    "nox > Session tests-3.12 was successful.", "[INFO] Tests run: 5, Failures: 0, Errors: 0",
    "5 examples, 0 failures", "python -m pytest -q\r\n5 passed", "OK (5 tests, 9 assertions)",
    json.dumps({"returncode": 0, "output": "....   [100%]\n4 passed in 0.03s"}),
    '{"returncode": 0, "output": "....   [100%]\\n4 passed in 0.03s',  # cut off
)  # fmt: skip
FAILS = (
    "", "1 failed, 4 passed", "5 passed, 1 error in 1s", "2 tests collected in 0.02s", "OK",
    "..F..  [100%]", "Ran 4 tests in 0.001s\n\nFAILED (failures=1)", "no tests ran in 0.01s",
    "FAIL\tacme/calc\t0.003s", "test result: FAILED. 4 passed; 1 failed", "100% sure",
    json.dumps({"returncode": 1, "output": "E  x\n1 failed, 4 passed in 0.15s"}),
    "4 passed\nmake: *** [Makefile:3: test] Error 1", "0 passed", "....   [ 50%]",
    "[ERROR] Tests run: 5, Failures: 1, Errors: 0", "The tests passed yesterday.",
)  # fmt: skip


@pytest.mark.parametrize("observation", PASSES)
def test_a_run_in_which_all_pass(observation: str) -> None:
    assert passes(observation)


@pytest.mark.parametrize("observation", FAILS)
def test_anything_else(observation: str) -> None:
    assert not passes(observation)


def test_a_bare_ok_counts_where_tests_are_run() -> None:
    assert passes("OK", "python -m unittest -q 2>&1 | tail -1")
    assert not passes("OK", "python try.py")
