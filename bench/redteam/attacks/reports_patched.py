"""TestReport.from_item_and_call is replaced: every report is a pass."""

from bench.redteam.pieces import FORGED
from bench.redteam.view import View


def attack(view: View) -> None:
    view.append(f"{FORGED}\n_forge()")
