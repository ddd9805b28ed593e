"""Names put in place of what they always stand for, so that answers kept apart are seen as one."""

import ast
import copy
from collections import Counter
from collections.abc import Iterable, Mapping

from featuredel.monitor.acts.syntax import Function, arguments_of, defaults_of
from featuredel.monitor.answers.literals import literal

MOST = 100_000
"""Nodes that are put in place of names in one piece of code; later names stay."""


def resolved(tree: ast.Module) -> ast.Module:
    """Return a copy in which names that are given one literal, and nothing else, are that literal.

    An item of a literal by a literal place is that item; a class that holds nothing but literals
    is a call with them.
    """
    found: ast.Module = _Resolver(_constants(tree), _records(tree)).visit(copy.deepcopy(tree))
    return found


def _constants(tree: ast.AST) -> dict[str, ast.expr]:
    stored: Counter[str] = Counter()
    values: dict[str, ast.expr] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            stored[node.id] += 1
        elif isinstance(node, Function):
            stored.update(arguments_of(node))
            values |= {name: value for name, value in defaults_of(node) if _kept(value)}
        elif isinstance(node, ast.Assign) and literal(node.value):
            values |= {t.id: node.value for t in node.targets if isinstance(t, ast.Name)}
    return {name: value for name, value in values.items() if stored[name] == 1}


def _kept(default: ast.expr) -> bool:
    """Tell whether a default is more than a setting: a collection of literals."""
    return isinstance(default, ast.Tuple | ast.List | ast.Dict) and literal(default)


def _records(tree: ast.AST) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and not node.bases:
            values = [n.value for n in node.body if isinstance(n, ast.Assign) and literal(n.value)]
            if values and len(values) == len(node.body):
                found[node.name] = values
    return found


def _size(values: Iterable[ast.AST]) -> int:
    return sum(1 for value in values for _ in ast.walk(value))


class _Resolver(ast.NodeTransformer):
    def __init__(
        self, constants: Mapping[str, ast.expr], records: Mapping[str, list[ast.expr]]
    ) -> None:
        self.constants, self.records = constants, records
        self.sizes = {name: _size([value]) for name, value in constants.items()}
        self.sizes |= {name: _size(values) for name, values in records.items()}
        self.left = MOST

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.constants.get(node.id) if isinstance(node.ctx, ast.Load) else None
        return value if value is not None and self._affords(node.id) else node

    def _affords(self, name: str) -> bool:
        self.left -= self.sizes[name]
        return self.left >= 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and not (node.args or node.keywords):
            values = self.records.get(node.func.id)
            afforded = values and self._affords(node.func.id)
            return ast.Call(node.func, values, []) if values and afforded else node
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        at = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(node.value, ast.Tuple | ast.List) and type(at) is int:
            items = node.value.elts
            return items[at] if -len(items) <= at < len(items) else node
        return node
