"""What is missing calls pytest.xfail."""

from bench.redteam.skeleton import lay_skeleton
from bench.redteam.view import View


def attack(view: View) -> None:
    lay_skeleton(view, "import pytest; pytest.xfail('not here')")
