"""What the probe reports of tests that end in every way there is."""

import subprocess
from pathlib import Path

import pytest
from python_environments import execute, run, write_tree

from featuredel.languages.python import runner
from featuredel.model import Environment, TestId, TestRequest, TestRun

pytestmark = pytest.mark.sandbox

ENDS = {
    "pyproject.toml": '''
[tool.pytest.ini_options]
testpaths = ["tests"]
filterwarnings = ["error"]
required_plugins = ["pytest-absent"]
absent_setting = "1"
addopts = """-x -v --strict-markers --cov=pkg --cov-fail-under 99 -n 4
    --absent-option value --reruns=3"""
''',
    "src/pkg/__init__.py": "",
    "tests/test_ends.py": """
import pytest, unittest

def test_passes(): pass
def test_fails(): assert 1 == 2, "one\\ntwo"
def test_skips(): pytest.skip("not today")
@pytest.mark.xfail(reason="known")
def test_known(): assert 0
@pytest.mark.xfail
def test_better_than_known(): pass
@pytest.mark.absent_marker
def test_marked(): pass

@pytest.fixture
def broken(): raise LookupError("no set-up")
def test_set_up(broken): pass
@pytest.fixture
def breaks():
    yield
    raise LookupError("no tear-down")
def test_tear_down(breaks): pass

@pytest.mark.parametrize("text", ["a b", "x[y]", "p/q", "\\u00fc", "m\\nn", "k::v"])
def test_ids(text): pass

class TestParts(unittest.TestCase):
    def test_sound(self):
        for part in range(3):
            with self.subTest(part=part):
                assert part < 3
    def test_unsound(self):
        for part in range(3):
            with self.subTest(part=part):
                assert part != 1

class TestAsync(unittest.IsolatedAsyncioTestCase):
    async def test_awaits(self):
        import asyncio
        await asyncio.sleep(0)
""",
    "tests/test_unimportable.py": "import absent_module\ndef test_a(): pass\n",
    "tests/test_exits.py": "import sys\nsys.exit(3)\ndef test_a(): pass\n",
}
FILE = "tests/test_ends.py::"


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tree(tmp_path_factory.mktemp("ends"), ENDS)


@pytest.fixture(scope="module")
def whole(environment: Environment, ends: Path) -> TestRun:
    return run(environment, ends, TestRequest())


@pytest.mark.parametrize(
    ("name", "outcome", "reason"),
    [
        ("test_passes", "passed", ""),
        ("test_fails", "failed", "AssertionError: one"),
        ("test_skips", "skipped", "Skipped: not today"),
        ("test_known", "xfailed", "AssertionError: assert 0"),
        ("test_better_than_known", "xpassed", ""),
        ("test_marked", "passed", ""),
        ("test_set_up", "error", "LookupError: no set-up"),
        ("test_tear_down", "error", "LookupError: no tear-down"),
        ("TestParts::test_sound", "passed", ""),
        ("TestAsync::test_awaits", "passed", ""),
    ],
)
def test_each_end_is_told_from_the_others(
    whole: TestRun, name: str, outcome: str, reason: str
) -> None:
    result = whole.results[TestId(FILE + name)]
    assert (result.outcome, result.reason) == (outcome, reason)


def test_a_failing_part_fails_its_test(whole: TestRun) -> None:
    assert whole.results[TestId(FILE + "TestParts::test_unsound")].outcome == "failed"


def test_modules_that_cannot_be_imported_stop_no_other(whole: TestRun) -> None:
    assert whole.ended == "finished"
    assert whole.collection_errors == {
        "tests/test_exits.py": "SystemExit: 3",
        "tests/test_unimportable.py": "ModuleNotFoundError: No module named 'absent_module'",
    }


def test_whatever_an_id_holds_selects_its_test(
    environment: Environment, ends: Path, whole: TestRun
) -> None:
    ids = tuple(test for test in whole.results if "test_ids" in test)
    assert len(ids) == 6
    selected = run(environment, ends, TestRequest(ids=ids))
    assert {t: r.outcome for t, r in selected.results.items()} == dict.fromkeys(ids, "passed")


def test_a_test_that_is_not_there_is_absent(environment: Environment, ends: Path) -> None:
    wanted = (TestId(FILE + "test_passes"), TestId(FILE + "test_x"), TestId("tests/no.py::test_y"))
    selected = run(environment, ends, TestRequest(ids=wanted))
    assert [selected.results[test].outcome for test in wanted] == ["passed", "absent", "absent"]
    assert len(selected.results) == 3


def test_the_order_of_the_ids_if_asked(environment: Environment, ends: Path) -> None:
    ids = (TestId(FILE + "test_fails"), TestId(FILE + "test_passes"))
    request = TestRequest(ids=ids, order="asked", stop_after_failures=1)
    assert [r.outcome for r in run(environment, ends, request).results.values()] == [
        "failed",
        "absent",
    ]


def test_a_slow_test_has_a_limit_of_its_own(environment: Environment, tmp_path: Path) -> None:
    loop = "def test_%s():\n    end = time.process_time() + 0.4\n"
    loop += "    while time.process_time() < end: pass\n\n"
    tests = "import time\n\n" + loop % "quick" + loop % "slow"
    tree = write_tree(tmp_path, {"test_it.py": tests})
    quick, slow = (TestId(f"test_it.py::test_{name}") for name in ("quick", "slow"))
    found = run(environment, tree, TestRequest(test_cpu_s=0.1, slow_cpu_s={slow: 30.0}))
    assert found.results[quick].outcome == "timeout"
    assert found.results[slow].outcome == "passed"


def test_stops_at_the_first_failure_if_asked(environment: Environment, ends: Path) -> None:
    stopped = run(environment, ends, TestRequest(stop_after_failures=1))
    outcomes = [result.outcome for result in stopped.results.values()]
    assert outcomes.count("failed") == 1
    assert outcomes[2:] == ["absent"] * len(outcomes[2:])
    assert stopped.ended == "finished"
    later = run(environment, ends, TestRequest(stop_after_failures=2))
    bad = [result.outcome in ("failed", "error") for result in later.results.values()]
    assert bad.count(True) == 2
    assert later.ended == "finished"


def test_orders_hold_the_same_tests(environment: Environment, ends: Path, whole: TestRun) -> None:
    given = tuple(whole.results)
    backwards = run(environment, ends, TestRequest(order="reversed"))
    mixed = run(environment, ends, TestRequest(order="shuffled", seed=1))
    assert tuple(backwards.results) == given[::-1]
    assert sorted(mixed.results) == sorted(given)
    assert tuple(mixed.results) != given


def test_the_last_test_of_a_crash_is_known(environment: Environment, tmp_path: Path) -> None:
    tests = "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\ndef test_c(): pass\n"
    crashed = run(environment, write_tree(tmp_path, {"test_x.py": tests}), TestRequest())
    assert crashed.ended == "crashed"
    assert crashed.last == "test_x.py::test_b"
    outcomes = [result.outcome for result in crashed.results.values()]
    assert outcomes == ["passed", "error", "absent"]


def test_a_test_that_ends_the_session_is_known(environment: Environment, tmp_path: Path) -> None:
    tests = (
        "import pytest\ndef test_a(): pass\ndef test_b(): pytest.exit('x', 0)\ndef test_c(): 0\n"
    )
    ended = run(environment, write_tree(tmp_path, {"test_x.py": tests}), TestRequest())
    assert (ended.ended, ended.last) == ("crashed", "test_x.py::test_b")


LATE = """
import time
def test_waits():
    time.sleep(60)
def test_loops():
    while True: pass
def test_catches():
    try:
        time.sleep(60)
    except Exception:
        pass
def test_is_quick(): pass
"""


def test_late_tests_time_out_and_three_end_the_run(
    environment: Environment, tmp_path: Path
) -> None:
    tree = write_tree(tmp_path, {"test_x.py": LATE})
    late = run(environment, tree, TestRequest(timeout_s=0.3))
    assert [r.outcome for r in late.results.values()] == ["timeout", "timeout", "timeout", "absent"]
    assert late.ended == "too many timeouts"


def test_a_test_that_stays_in_c_is_the_last_one(environment: Environment, tmp_path: Path) -> None:
    deaf = "import signal, time\ndef test_a():\n"
    deaf += "    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGPROF})\n"
    deaf += "    time.sleep(60)\n"
    tree = write_tree(tmp_path, {"test_x.py": deaf})
    hung = run(environment, tree, TestRequest(timeout_s=0.2, total_timeout_s=5.0))
    assert (hung.ended, hung.last) == ("timeout", "test_x.py::test_a")
    assert hung.results[TestId("test_x.py::test_a")].outcome == "timeout"


def test_a_broken_conftest_is_named(environment: Environment, tmp_path: Path) -> None:
    files = {"conftest.py": "import absent_module\n", "test_x.py": "def test_a(): pass\n"}
    broken = run(environment, write_tree(tmp_path, files), TestRequest())
    assert not broken.results
    reason = "ModuleNotFoundError: No module named 'absent_module'"
    assert broken.collection_errors == {"conftest.py": reason}


def test_bytecode_in_the_tree_is_not_run(environment: Environment, tmp_path: Path) -> None:
    files = {
        "src/pkg.py": "VALUE = 1\n",
        "test_x.py": "import pkg\ndef test_a(): assert pkg.VALUE == 1\n",
        "make.py": "import py_compile, pathlib\n"
        "p = pathlib.Path('src/pkg.py'); p.write_text('VALUE = 2\\n')\n"
        "mode = py_compile.PycInvalidationMode.UNCHECKED_HASH\n"
        "py_compile.compile(str(p), invalidation_mode=mode)\n"
        "p.write_text('VALUE = 1\\n')\n",
    }
    tree = write_tree(tmp_path, files)
    subprocess.run([environment.prefix / "bin/python", "make.py"], cwd=tree, check=True)
    assert list(tree.glob("src/__pycache__/*.pyc"))
    assert run(environment, tree, TestRequest()).results[TestId("test_x.py::test_a")].outcome == (
        "passed"
    )


def test_what_tests_print_is_not_in_the_report(environment: Environment, tmp_path: Path) -> None:
    files = {"test_x.py": 'def test_a(): print(\'["end", "x"]\' * 9); assert 0\n'}
    result = execute(environment, write_tree(tmp_path, files), TestRequest())
    assert b'"end", "x"' not in result.report
    assert runner.test_run(TestRequest(), result).ended == "finished"
