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
PHASES = """
import unittest

import pytest

@pytest.mark.parametrize("a", ["a b"])
def test_passes(a): print("FAILED test_a.py::test_passes[a b]")

@pytest.mark.parametrize("a", ["a - b"])
def test_fails(a): assert a == "x"

@pytest.fixture
def before(): raise ValueError

@pytest.fixture
def after():
    yield
    raise ValueError

def test_setup_fails(before): pass

def test_teardown_fails(after): pass

def test_skips(): pytest.skip()

@pytest.mark.xfail
def test_expected(): assert 0

class C(unittest.TestCase):
    def test_subtest_fails(self):
        with self.subTest(a=1):
            self.assertEqual(1, 2)

    def test_subtest_is_skipped(self):
        with self.subTest(a=1):
            self.skipTest("why")
"""
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


def test_the_command_is_the_recorded_one() -> None:
    run = printed_run(RECORDED, {}, 60, ())
    assert len(run.argv) == len(RECORDED)
    assert "featuredel_probe.printer" in run.argv
    assert run.argv[run.argv.index("-c") + 1] == "/dev/null"
    assert run.variables["FEATUREDEL_LIMIT_S"] == "60"


def test_the_project_s_settings_stay() -> None:
    recorded = [word.replace("/probe/pytest.ini", "/workspace/setup.cfg") for word in RECORDED]
    argv = printed_run(recorded, {}, 60, ()).argv
    assert argv[argv.index("-c") + 1] == "/workspace/setup.cfg"


def test_variables_of_the_environment_count() -> None:
    variables = printed_run(RECORDED, {"PYTHONPATH": "src", "A": "b"}, 60, ()).variables
    assert variables["PYTHONPATH"] == "/tmp/featuredel:src"
    assert variables["A"] == "b"


def test_there_is_a_line_for_each_test_by_its_worst_phase(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(PHASES)
    lines = _printed(printed_run(RECORDED, {}, 60, ()), tmp_path)
    assert sorted(line.replace("test_a.py::", "") for line in lines) == [
        "FAILED C::test_subtest_fails",
        "FAILED test_fails[a - b]",
        "FAILED test_setup_fails",
        "FAILED test_teardown_fails",
        "PASSED C::test_subtest_is_skipped",
        "PASSED test_passes[a b]",
    ]


def test_what_is_set_aside_does_not_run(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): pass\ndef test_b(): pass\n")
    run = printed_run(RECORDED, {}, 60, [TestId("test_a.py::test_a")])
    assert _printed(run, tmp_path) == ["PASSED test_a.py::test_b"]


def test_a_test_without_an_end_fails_and_the_next_one_runs(tmp_path: Path) -> None:
    (tmp_path / "test_slow.py").write_text(SLOW)
    assert _printed(printed_run(RECORDED, {}, 1, ()), tmp_path) == [
        "FAILED test_slow.py::test_waits",
        "FAILED test_slow.py::test_loops_and_catches",
        "PASSED test_slow.py::test_passes",
    ]


def test_options_of_plugins_that_are_not_here_end_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n")
    recorded = [word.replace("addopts=", "addopts=--no-such-plugin") for word in RECORDED]
    run = printed_run(recorded, {}, 60, ())
    assert _printed(run, tmp_path) == ["PASSED test_a.py::test_a"]


def _printed(run: PrintedRun, root: Path) -> list[str]:
    """Return what is printed of tests in `root`, in order."""
    place = root / "plugin"
    (place / "featuredel_probe").mkdir(parents=True)
    for path, text in run.files.items():
        (place / Path(path).relative_to("/tmp/featuredel")).write_text(text)
    argv = [word.replace("/workspace", str(root)) for word in run.argv]
    variables = {**os.environ, **run.variables, "PYTHONPATH": str(place)}
    done = subprocess.run(
        [sys.executable, *argv[1:]], cwd=root, env=variables, capture_output=True, text=True
    )
    found = [line for line in done.stdout.splitlines() if line.startswith(("PASSED", "FAILED"))]
    assert found, done.stdout + done.stderr
    return found


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
