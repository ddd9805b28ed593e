"""The same, beside the tests."""

from pathlib import PurePosixPath

from bench.redteam.pieces import CONFTEST
from bench.redteam.view import View


def attack(view: View) -> None:
    folder = PurePosixPath(view.test_files[0]).parent
    view.append(CONFTEST, f"{folder}/conftest.py")
