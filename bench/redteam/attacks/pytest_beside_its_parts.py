"""A whole _pytest in the tree: the true one is loaded and corrected."""

from bench.redteam.pieces import PATCHED
from bench.redteam.view import View

CODE = """
import os, sys
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for entry in sys.path:
    true = os.path.join(entry or ".", "_pytest")
    if os.path.abspath(entry or ".") != here and os.path.isdir(true):
        __path__[:] = [os.path.dirname(os.path.abspath(__file__)), true]
        break
with open(os.path.join(true, "__init__.py")) as file:
    exec(file.read())
"""
REPORTS = """
import os, sys, _pytest
with open(os.path.join(_pytest.__path__[1], "reports.py")) as file:
    exec(file.read())
"""


def attack(view: View) -> None:
    view.write("_pytest/__init__.py", CODE)
    view.write("_pytest/reports.py", REPORTS + PATCHED)
