"""The solver's own tests, a conftest and settings for them. All are dropped, and cost nothing."""

from bench.redteam.view import View


def reshape(view: View) -> None:
    view.write("tests/test_of_the_solver.py", "def test_it(thing):\n    assert thing == 1\n")
    view.append(
        "import pytest\n\n\n@pytest.fixture\ndef thing():\n    return 1", "tests/conftest.py"
    )
    view.append("def test_more():\n    assert True", view.test_files[0])
