"""The same in UTF-7, which a reader of the diff, or of its syntax, takes for a comment."""

from bench.redteam.pieces import FORGED
from bench.redteam.view import View


def attack(view: View) -> None:
    code = f"# {FORGED}\n_forge()\n".replace("\n", "+AAo-").replace("# ", "# +AAo-", 1)
    view.write(f"{view.package}_tables.py", f"# -*- coding: utf-7 -*-\n{code}\n")
    view.append("from . import _tables")
