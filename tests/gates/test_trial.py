from dataclasses import replace
from pathlib import Path

from candidates import (
    TESTS,
    NoSandbox,
    ScriptedPython,
    baseline,
    deletion,
    environment,
    language,
    snapshot,
)

from featuredel.config import Settings
from featuredel.gates.trial import Trial, reasons
from featuredel.grading import CPU_GRACE_S, PATIENCE
from featuredel.model import TestId, TestResult


def test_reasons_are_what_every_run_would_say() -> None:
    said = {
        "a": "AttributeError: no attribute",
        "b": "http.client.RemoteDisconnected: Remote end closed connection",
        "c": "ConnectionResetError: [Errno 104]",
    }
    results = {TestId(test): TestResult("failed", 0.0, why) for test, why in said.items()}
    assert reasons(results, [*results, TestId("d")]) == {
        "AttributeError": 1,
        "failed": 2,
        "absent": 1,
    }


def trial(tmp_path: Path, *durations_s: float) -> Trial:
    known = replace(baseline(), durations_s=durations_s)
    return Trial(
        snapshot(tmp_path / "snapshot"), environment(), known, deletion(),
        language(ScriptedPython()), NoSandbox(), Settings(),
        tmp_path / "task", tmp_path / "hidden", tmp_path / "gold", tmp_path,
    )  # fmt: skip


def test_a_slow_test_does_not_give_the_others_more_time(tmp_path: Path) -> None:
    request = trial(tmp_path, 0.01, 0.02, 0.5, 9.0).request(TESTS)
    assert request.test_cpu_s == CPU_GRACE_S + PATIENCE * 0.02
    assert request.slow_cpu_s == {TESTS[2]: CPU_GRACE_S + PATIENCE * 0.5, TESTS[3]: 60.0}


def test_the_quickest_of_the_quickest_file_come_first(tmp_path: Path) -> None:
    order = trial(tmp_path, 0.5, 0.2, 0.1, 0.01).quickest_first(TESTS)
    assert order == (TESTS[3], TESTS[2], TESTS[1], TESTS[0])
