"""The solver's own tests, a conftest and settings for them. All are dropped, and cost nothing."""

from bench.redteam.view import View

# Written into the solver's tree: these are tests of the solver, and no grader runs them.
TESTS = "def test_it(thing):\n    assert thing == 1\n"
FIXTURES = "import pytest\n\n\n@pytest.fixture\ndef thing():\n    return 1"
MORE = "def test_more():\n    assert sum([1, 2]) == 3"


def reshape(view: View) -> None:
    view.write("tests/test_of_the_solver.py", TESTS)
    view.append(FIXTURES, "tests/conftest.py")
    view.append(MORE, view.test_files[0])
