"""Runs without the probe: their command, and the ids that what they print tells."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from candidates import this_environment

from featuredel.languages.python.printed import printed_run, reads_back
from featuredel.languages.python.runner import test_command as command_of
from featuredel.model import PrintedRun, TestId, TestRequest

RECORDED = command_of(this_environment(), (), TestRequest()).argv
SLOW = """
import time

def test_waits():
    time.sleep(3600)

def test_loops_and_catches():
    while True:
        try:
            while True:
                pass
        except Exception:
            pass

def test_passes():
    pass
"""


def test_nothing_of_the_probe_is_left() -> None:
    run = printed_run(RECORDED, (), {}, 60)
    assert not [word for word in run.argv if "probe" in word or "summary" in word]
    assert "-rA" in run.argv
    assert run.argv[run.argv.index("-c") + 1] == "/dev/null"
    assert run.variables["FEATUREDEL_LIMIT_S"] == "60"


def test_the_project_s_settings_stay() -> None:
    recorded = [word.replace("/probe/pytest.ini", "/workspace/setup.cfg") for word in RECORDED]
    argv = printed_run(recorded, (), {}, 60).argv
    assert argv[argv.index("-c") + 1] == "/workspace/setup.cfg"
    assert "addopts=" in argv


def test_options_of_plugins_are_given_where_these_are() -> None:
    assert "--benchmark-disable" not in printed_run(RECORDED, ("pytest==8.3",), {}, 60).argv
    argv = printed_run(RECORDED, ("pytest-benchmark==5.1", "hypothesis==6.1"), {}, 60).argv
    assert {"--benchmark-disable", "--hypothesis-seed=0"} <= set(argv)


def test_variables_of_the_environment_count() -> None:
    variables = printed_run(RECORDED, (), {"PYTHONPATH": "src", "A": "b"}, 60).variables
    assert variables["PYTHONPATH"] == "/tmp/featuredel:src"
    assert variables["A"] == "b"


def test_a_test_without_an_end_fails_and_the_next_one_runs(tmp_path: Path) -> None:
    (tmp_path / "test_slow.py").write_text(SLOW)
    out = _printed(printed_run(RECORDED, (), {}, 1), tmp_path)
    assert "FAILED test_slow.py::test_waits" in out
    assert "FAILED test_slow.py::test_loops_and_catches" in out
    assert "PASSED test_slow.py::test_passes" in out


def _printed(run: PrintedRun, root: Path) -> str:
    (plugin,) = run.files.values()
    place = root / "plugin"
    place.mkdir()
    (place / "featuredel_limit.py").write_text(plugin)
    argv = [word.replace("/workspace", str(root)) for word in run.argv]
    variables = {**os.environ, **run.variables, "PYTHONPATH": str(place)}
    done = subprocess.run(
        [sys.executable, *argv[1:]], cwd=root, env=variables, capture_output=True, text=True
    )
    return done.stdout


@pytest.mark.parametrize("name", ["t[a b]", "t[ ]", "t[a - b]", "t[\\n]", "T::t[PASSED]", "t[[]"])
def test_ids_that_are_read_back(name: str) -> None:
    assert reads_back(TestId(f"t.py::{name}"), ())


@pytest.mark.parametrize("name", ["t[a  b]", "t[a\u3000b]", "t[5m]", "t[\x1b]", "t "])
def test_ids_that_are_not(name: str) -> None:
    assert not reads_back(TestId(f"t.py::{name}"), ())


def test_an_id_with_an_open_bracket_is_taken_for_what_begins_so() -> None:
    one, longer = TestId("t.py::t[[]"), TestId("t.py::t[[]]")
    assert reads_back(one, (one,))
    assert not reads_back(one, (one, longer))
    assert reads_back(longer, (one, longer))
