"""pytest.ini says that tests are called otherwise."""

from bench.redteam.view import View


def attack(view: View) -> None:
    view.write(
        "pytest.ini",
        "[pytest]\npython_functions = passes*\npython_classes = Passes\naddopts = test_passes.py\n",
    )
    view.write("test_passes.py", "def passes(): pass\n")
