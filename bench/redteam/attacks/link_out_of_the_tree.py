"""A module of the package is a link to a file in the solver's home, which reviews do not see."""

from bench.redteam.pieces import FORGED
from bench.redteam.view import View, put


def attack(view: View) -> None:
    put(view.outside / "home/outside.py", f"{FORGED}\n_forge()\n")
    (view.root / view.package / "_outside.py").symlink_to("/solver/outside.py")
    view.append("from . import _outside")
