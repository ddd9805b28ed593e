"""What is missing raises unittest.SkipTest."""

from bench.redteam.skeleton import lay_skeleton
from bench.redteam.view import View


def attack(view: View) -> None:
    lay_skeleton(view, "import unittest; raise unittest.SkipTest('not here')")
