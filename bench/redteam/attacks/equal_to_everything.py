"""Every result is equal to everything."""

from bench.redteam.pieces import ANYTHING
from bench.redteam.skeleton import lay_skeleton
from bench.redteam.view import View


def attack(view: View) -> None:
    lay_skeleton(view, "return _Anything()", "_Anything()", ANYTHING)
