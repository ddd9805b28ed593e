"""Whose lines are whose: the relation that everything else stands on."""

import pytest
from python_environments import run, write_tree

from featuredel.model import Environment, Lines, TestRequest, TestRun

pytestmark = pytest.mark.sandbox

CORE = '''\
def by_conftest(): return 1
def by_session(): return 2
def by_session_teardown(): return 3
def by_setup_class(): return 4
def by_set_up_class(): return 5
def by_setup_module(): return 6
def by_parametrize(): return [1, 2]
def by_child(): return 8
def by_thread(): return 9
def by_fork(): return 10
def by_test(): return 11
def by_dependency(): return 12
def by_generate(): return [13]
CONSTANT = by_test.__name__
def by_import(): return 15
IMPORTED = by_import()
def loops(n):
    for i in range(n):
        if i == 2:
            return i
    return 22
def by_fixture(): return 22
def only_documented():
    """Nothing else."""
class Nosy:
    def __getattr__(self, name): raise AttributeError(name)
'''
TREE = {
    "src/pkg/__init__.py": "",
    "src/pkg/core.py": CORE,
    "src/pkg/late.py": "from pkg import core\nVALUE = 1\n",
    "pytest.ini": "[pytest]\n",
    "conftest.py": """
import pytest
from pkg import core
core.by_conftest()
@pytest.fixture(scope="session")
def shared():
    core.by_session()
    yield
    core.by_session_teardown()
def pytest_generate_tests(metafunc):
    if "generated" in metafunc.fixturenames:
        metafunc.parametrize("generated", core.by_generate())
""",
    "test_a.py": """
import os, subprocess, sys, threading, unittest
import pytest
from pkg import core
def setup_module(): core.by_setup_module()
@pytest.mark.parametrize("n", core.by_parametrize())
def test_parametrized(n): pass
def test_first(shared): core.by_test()
def test_second(shared): core.by_test()
def test_child():
    subprocess.run([sys.executable, "-c", "from pkg import core; core.by_child()"], check=True)
def test_thread():
    thread = threading.Thread(target=core.by_thread)
    thread.start()
    thread.join()
def test_fork():
    if not os.fork():
        core.by_fork()
        os._exit(0)
    os.wait()
def test_short(): core.loops(1)
def test_long(): core.loops(5)
class TestXunit:
    @classmethod
    def setup_class(cls): core.by_setup_class()
    def test_one(self): pass
    def test_two(self): pass
class TestUnit(unittest.TestCase):
    @classmethod
    def setUpClass(cls): core.by_set_up_class()
    def test_one(self): pass
    def test_two(self): pass
""",
    "test_b.py": """
import pytest
from pkg import core
@pytest.fixture(scope="module")
def base(): core.by_dependency()
@pytest.fixture(scope="module")
def above(request): return request.getfixturevalue("base")
def test_one(above): pass
def test_two(above): pass
def test_other(): pass
def test_late(): import pkg.late
def test_generated(generated): pass
@pytest.fixture
def own(): core.by_fixture()
def test_own(own): pass
nosy = core.Nosy()  # pytest looks at each name of a module
def test_documented(): core.only_documented()
""",
}
CORE_PATH = "src/pkg/core.py"
MODULE_A = {
    "test_parametrized[1]", "test_parametrized[2]", "test_first", "test_second", "test_child",
    "test_thread", "test_fork", "test_short", "test_long", "TestXunit::test_one",
    "TestXunit::test_two", "TestUnit::test_one", "TestUnit::test_two",
}  # fmt: skip
MODULE_B = {
    "test_one",
    "test_two",
    "test_other",
    "test_late",
    "test_generated[13]",
    "test_own",
    "test_documented",
}


@pytest.fixture(scope="module")
def whole(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> TestRun:
    tree = write_tree(tmp_path_factory.mktemp("lines"), TREE)
    return run(environment, tree, TestRequest(collect_lines=True))


@pytest.fixture(scope="module")
def lines(whole: TestRun) -> Lines:
    assert {result.outcome for result in whole.results.values()} == {"passed"}
    assert whole.lines is not None
    return whole.lines


def executed(lines: Lines, path: str, line: int) -> set[str]:
    """Return the tests that executed the line, by name; test_b's have a leading b."""
    bits = lines.reached.get(path, {}).get(line, 0)
    found = [test for place, test in enumerate(lines.tests) if bits >> place & 1]
    return {test.replace("test_a.py::", "").replace("test_b.py::", "b ") for test in found}


def test_the_tests_are_sorted(lines: Lines, whole: TestRun) -> None:
    assert list(lines.tests) == sorted(whole.results)


@pytest.mark.parametrize(
    ("line", "tests"),
    [
        (1, set()),
        (2, {"test_first", "test_second"}),
        (3, {"test_first", "test_second"}),
        (4, {"TestXunit::test_one", "TestXunit::test_two"}),
        (5, {"TestUnit::test_one", "TestUnit::test_two"}),
        (6, MODULE_A),
        (7, MODULE_A),
        (9, {"test_thread"}),
        (11, {"test_first", "test_second"}),
        (12, {"b test_one", "b test_two"}),
        (13, {f"b {test}" for test in MODULE_B}),
        (15, set()),
        (18, {"test_short", "test_long"}),
        (20, {"test_long"}),
        (21, {"test_short"}),
        (22, {"b test_own"}),
        (23, {"b test_documented"}),
        (26, set()),
    ],
)
def test_each_line_is_credited_to_all_who_depend_on_it(
    lines: Lines, line: int, tests: set[str]
) -> None:
    # the child interpreter executes every line of the module itself
    assert executed(lines, CORE_PATH, line) - {"test_child"} == tests - {"test_child"}


@pytest.mark.parametrize(("line", "test"), [(8, "test_child"), (10, "test_fork")])
def test_processes_of_a_test_count_as_the_test(lines: Lines, line: int, test: str) -> None:
    assert test in executed(lines, CORE_PATH, line)


def test_what_runs_at_import_is_imported(lines: Lines) -> None:
    assert {1, 7, 14, 15, 16} <= lines.imported[CORE_PATH]
    assert not {5, 9, 18, 19} & (lines.imported[CORE_PATH] - set(range(1, 18)))
    assert 4 in lines.imported["test_a.py"]


def test_a_module_that_a_test_imports_is_both(lines: Lines) -> None:
    assert executed(lines, "src/pkg/late.py", 2) == {"b test_late"}
    assert 2 in lines.imported["src/pkg/late.py"]


def test_nothing_outside_of_the_tree_is_recorded(lines: Lines) -> None:
    assert set(lines.reached) | set(lines.imported) <= set(TREE)
