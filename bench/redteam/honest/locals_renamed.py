"""Every local variable has another name."""

import ast
import symtable

from bench.redteam.view import View


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        tree = ast.parse(source)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                Renamed(_locals(node, source)).visit(node)
        view.write(path, ast.unparse(tree) + "\n")


def _locals(function: ast.FunctionDef, source: str) -> frozenset[str]:
    """Return the names that are only a plain variable of this function, and of none within it."""
    if any(isinstance(n, ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.Global) for n in ast.walk(function) if n is not function):
        return frozenset()
    table = symtable.symtable(ast.unparse(function), "", "exec").get_children()[0]
    return frozenset(
        s.get_name() for s in table.get_symbols()
        if s.is_local() and not s.is_parameter() and not s.is_imported()
    )  # fmt: skip


class Renamed(ast.NodeTransformer):
    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(f"{node.id}_", node.ctx), node) if node.id in self.names else node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        if node.name in self.names:
            node.name = f"{node.name}_"
        return node
