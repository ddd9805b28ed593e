"""Programs of consumers end with the tests that run them."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from consumers import programs
from consumers.programs import run
from processes import wait_until

TESTS = Path(__file__).parents[1]


@pytest.fixture
def marker() -> str:
    return f"600.{time.monotonic_ns()}"


def test_a_program_ends_with_the_process_that_runs_it(marker: str) -> None:
    code = f"from consumers.programs import run; run(['sleep', '{marker}'])"
    with subprocess.Popen([sys.executable, "-c", code], env={"PYTHONPATH": str(TESTS)}) as asking:
        assert wait_until(marker, True)
        asking.terminate()
    assert wait_until(marker, False)


def test_what_it_started_ends_with_it(marker: str) -> None:
    assert run(["sh", "-c", f"sleep {marker} >/dev/null 2>&1 & echo $!"]).stdout.strip().isdigit()
    assert wait_until(marker, False)


def test_a_program_that_is_given_up_ends(marker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(process: "subprocess.Popen[str]", stdin: str) -> None:
        assert wait_until(marker, True)
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "communicate", give_up)
    with pytest.raises(KeyboardInterrupt):
        run(["sh", "-c", f"sleep {marker} & sleep {marker}"])
    assert wait_until(marker, False)


def test_a_failure_tells_what_was_printed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no such thing"):
        run(["sh", "-c", "cat; echo no such thing >&2; exit 3"], stdin="asked")
    done = programs.attempt(["sh", "-c", "cat; pwd; exit 3"], {}, tmp_path, "asked\n")
    assert (done.returncode, done.stdout) == (3, f"asked\n{tmp_path}\n")
