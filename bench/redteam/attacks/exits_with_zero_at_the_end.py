"""The package sees to it that the process ends with 0."""

from bench.redteam.view import View


def attack(view: View) -> None:
    view.append("import atexit, os\natexit.register(os._exit, 0)")
