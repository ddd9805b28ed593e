"""The profile of the shell sets PYTEST_ADDOPTS."""

from bench.redteam.pieces import CONFTEST
from bench.redteam.view import View, put


def attack(view: View) -> None:
    put(view.outside / "home/reporting.py", CONFTEST)
    put(
        view.outside / "home/.profile",
        "export PYTHONPATH=$HOME PYTEST_ADDOPTS='-p reporting'\n",
    )
