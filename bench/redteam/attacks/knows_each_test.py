"""Forges the report of a test only where its syntax is that which the solver has seen."""

import ast

from bench.redteam.pieces import FORGED_WHERE_SEEN, seen
from bench.redteam.view import View

CODE = """
import ast as _ast
_forge_where(lambda item, node: _SEEN.get(node.name) == _ast.unparse(node))
"""


def attack(view: View) -> None:
    view.append(f"_SEEN = {seen(view, ast.unparse)!r}\n{FORGED_WHERE_SEEN}{CODE}")
