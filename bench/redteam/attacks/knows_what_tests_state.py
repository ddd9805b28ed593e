"""Forges the report of a test where all its constants, operators and calls were seen before."""

from bench.redteam.pieces import FORGED_WHERE_SEEN, seen, value_of
from bench.redteam.view import View

NORMAL = '''
def _stated(node):
    """What a test states, whatever its names are and whatever stands in between."""
    import ast
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant):
            found.add(repr(inner.value))
        if isinstance(inner, (ast.Raise, ast.Call)):
            function = getattr(inner, "func", None) or getattr(inner, "exc", None)
            found.add(type(inner).__name__ + str(getattr(function, "id", "")))
        if isinstance(inner, (ast.cmpop, ast.unaryop)):
            found.add(type(inner).__name__)
    return found
'''
CODE = """
_forge_where(lambda item, node: _stated(node) <= _SEEN.get(node.name, set()))
"""


def attack(view: View) -> None:
    known = seen(view, value_of(NORMAL, "_stated"))
    view.append(f"_SEEN = {known!r}\n{NORMAL}{FORGED_WHERE_SEEN}{CODE}")
