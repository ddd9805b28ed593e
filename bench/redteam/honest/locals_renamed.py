"""Every local variable has another name."""

import ast
import symtable

from bench.redteam.forms import functions, rewrite
from bench.redteam.view import View

INNER = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.Global)


def reshape(view: View) -> None:
    rewrite(view, _rename, "no function has a local variable")


def _rename(_path: str, module: ast.Module) -> int:
    renamed = 0
    for _name, function in functions(module):
        names = _locals(function)
        Renamed(names).visit(function)
        renamed += len(names)
    return renamed


def _locals(function: ast.FunctionDef) -> frozenset[str]:
    """Return the names that are only plain variables of a function in which there is no other."""
    inner = [node for node in ast.walk(function) if isinstance(node, INNER)]
    if len(inner) > 1:  # the first is the function itself
        return frozenset()
    table = symtable.symtable(ast.unparse(function), "", "exec").get_children()[0]
    plain = [s for s in table.get_symbols() if s.is_local() and not s.is_parameter()]
    return frozenset(symbol.get_name() for symbol in plain if not symbol.is_imported())


class Renamed(ast.NodeTransformer):
    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self.names:
            node.id = f"{node.id}_"
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        if node.name in self.names:
            node.name = f"{node.name}_"
        return node
