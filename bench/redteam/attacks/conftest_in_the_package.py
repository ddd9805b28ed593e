"""A conftest.py inside the source root, which the package loads and registers itself."""

from bench.redteam.pieces import CONFTEST, FOUND
from bench.redteam.view import View

LOAD = """
from . import conftest as _conftest
for _manager in _found("PytestPluginManager"):
    if _conftest not in _manager.get_plugins():
        _manager.register(_conftest, "of_the_package")
"""


def attack(view: View) -> None:
    view.append(CONFTEST, f"{view.package}conftest.py")
    if not view.test_files[0].startswith(view.package):  # else pytest finds it by itself
        view.append(FOUND + LOAD)
