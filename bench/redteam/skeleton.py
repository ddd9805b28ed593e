"""The interface of a feature with nothing behind it: what a statement tells, and no more."""

import ast
from collections.abc import Collection

from bench.redteam.view import View


def lay_skeleton(view: View, body: str, value: str = "", prelude: str = "") -> None:
    """Write the files of the feature with each function's body as given.

    Constants are the expression `value`, or as in the reference; `prelude` comes first.
    """
    for path, content in view.reference.items():
        if content is not None and not path.endswith(".py"):
            view.write(path, content)
    for path, source in view.sources.items():
        view.write(path, hollow(source, view.asked(path), body, value, prelude))


def hollow(source: str, names: Collection[str], body: str, value: str, prelude: str) -> str:
    """Return a module in which the definitions of those qualified names do only `body`."""
    module = ast.parse(source)
    emptied = _Emptied(names, ast.parse(body).body, value)
    module = ast.fix_missing_locations(emptied.visit(module))
    begin_with(module, prelude)
    return ast.unparse(module) + "\n"


def begin_with(module: ast.Module, code: str) -> None:
    """Put code where the first statement of a module may stand."""
    at = 0
    while at < len(module.body) and _comes_first(module.body[at]):
        at += 1
    module.body[at:at] = ast.parse(code).body


class _Emptied(ast.NodeTransformer):
    def __init__(self, names: Collection[str], body: list[ast.stmt], value: str) -> None:
        self.names, self.body, self.value = names, body, value
        self.outer: list[str] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.outer.append(node.name)
        self.generic_visit(node)
        self.outer.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if self._is_asked(node.name):
            told = ast.get_docstring(node) is not None
            node.body = [*node.body[: int(told)], *self.body]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        target = node.targets[0]
        if self.value and isinstance(target, ast.Name) and self._is_asked(target.id):
            node.value = ast.parse(self.value, mode="eval").body
        return node

    def _is_asked(self, name: str) -> bool:
        path = [*self.outer, name]
        return any(".".join(path[:end]) in self.names for end in range(1, len(path) + 1))


def _comes_first(node: ast.stmt) -> bool:
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")
