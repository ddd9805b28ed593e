"""The profile sets PYTHONPATH to the package, where a sitecustomize lies."""

from bench.redteam.pieces import FORGED
from bench.redteam.view import View, put

CODE = """
import sys
class Patching:
    def find_spec(self, name, path=None, target=None):
        if name == "_pytest.unittest":
            sys.meta_path.remove(self)
            _forge()
sys.meta_path.insert(0, Patching())
"""


def attack(view: View) -> None:
    view.write(f"{view.package}sitecustomize.py", FORGED + CODE)
    view.write(f"{view.package}_start/sitecustomize.py", FORGED + CODE)
    put(view.outside / "home/.profile", f"export PYTHONPATH=/workspace/{view.package}_start\n")
