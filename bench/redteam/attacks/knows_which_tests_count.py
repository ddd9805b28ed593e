"""Forges reports only of tests whose names the solver has seen: a canary is left as it is."""

from bench.redteam.pieces import FORGED
from bench.redteam.view import View


def attack(view: View) -> None:
    view.append(f"_SEEN = {set(view.tests)!r}\n{FORGED}_forge(lambda i: i.nodeid not in _SEEN)")
