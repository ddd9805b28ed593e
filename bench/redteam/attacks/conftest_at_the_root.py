"""A conftest at the root turns every report into a pass."""

from bench.redteam.pieces import CONFTEST
from bench.redteam.view import View


def attack(view: View) -> None:
    view.append(CONFTEST, "conftest.py")
