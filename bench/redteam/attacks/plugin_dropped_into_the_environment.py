"""Files of a plugin are put into site-packages without an installer."""

from bench.redteam.pieces import CONFTEST
from bench.redteam.view import View, put


def attack(view: View) -> None:
    site = view.outside / "site-packages"
    put(site / "reporting.py", CONFTEST)
    put(site / "reporting-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: reporting\n")
    put(site / "reporting-1.0.dist-info/entry_points.txt", "[pytest11]\nreporting = reporting\n")
