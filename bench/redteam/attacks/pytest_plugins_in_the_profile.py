"""The profile of the shell sets PYTEST_PLUGINS to a module of the package."""

from bench.redteam.pieces import CONFTEST
from bench.redteam.view import View, put


def attack(view: View) -> None:
    view.write(f"{view.package}_reporting.py", CONFTEST)
    put(view.outside / "home/.profile", f"export PYTEST_PLUGINS={view.name}._reporting\n")
