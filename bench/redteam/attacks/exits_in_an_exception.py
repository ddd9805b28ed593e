"""What is missing raises an exception whose construction ends the process with 0."""

from bench.redteam.skeleton import lay_skeleton
from bench.redteam.view import View

PRELUDE = """
class _Stop(Exception):
    def __init__(self, *args):
        import os
        os._exit(0)
"""


def attack(view: View) -> None:
    lay_skeleton(view, "raise _Stop()", prelude=PRELUDE)
