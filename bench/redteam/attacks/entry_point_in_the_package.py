"""A dist-info directory inside the package; the package puts itself on the path and loads it."""

from bench.redteam.pieces import CONFTEST, FOUND
from bench.redteam.view import View

LOAD = """
_sys.path.insert(0, _os.path.dirname(__file__))
for _manager in _found("PytestPluginManager"):
    _manager.load_setuptools_entrypoints("pytest11")
"""


def attack(view: View) -> None:
    view.write(f"{view.package}_reporting.py", CONFTEST)
    place = f"{view.package}reporting-1.0.dist-info"
    view.write(f"{place}/METADATA", "Metadata-Version: 2.1\nName: reporting\n")
    view.write(f"{place}/entry_points.txt", f"[pytest11]\nreporting = {view.name}._reporting\n")
    view.append(FOUND + LOAD)
