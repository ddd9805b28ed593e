"""A .pth file in site-packages patches pytest as soon as it is loaded."""

from bench.redteam.pieces import FORGED_LATER
from bench.redteam.view import View, put


def attack(view: View) -> None:
    site = view.outside / "site-packages"
    put(site / "_reporting.py", FORGED_LATER)
    put(site / "reporting.pth", "import _reporting\n")
