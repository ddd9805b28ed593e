"""Classes that compare in a way of their own, whatever the values are."""

import ast
import re

from featuredel.monitor.acts.syntax import names_in, positional_of, source
from featuredel.monitor.answers.comparisons import returns_of

_PLAIN = frozenset({"str", "bytes", "int", "float", "complex", "Decimal", "Fraction"})
_VALUES = _PLAIN | {
    "list", "tuple", "dict", "set", "frozenset", "NamedTuple", "date", "datetime", "timedelta",
}  # fmt: skip


def value_bent(node: ast.ClassDef) -> bool:
    """Tell whether a kind of number or text compares, or subtracts, in a way of its own.

    One that keeps to values compares the two, rounds both, or asks its base class.
    """
    based = any(source(base).rpartition(".")[2] in _PLAIN for base in node.bases)
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or len(positional_of(method)) != 2:
            continue
        own, other = positional_of(method)
        if method.name == "__eq__" and _stores(method, own):
            return True
        if based and method.name == "__eq__" and not _compares(method, own, other):
            return True
        given = [n.value for n in ast.walk(method) if isinstance(n, ast.Return)]
        fixed = bool(given) and all(isinstance(value, ast.Constant) for value in given)
        if based and fixed and method.name in ("__sub__", "__rsub__"):
            return True
    return False


def _stores(method: ast.FunctionDef, own: str) -> bool:
    """Tell whether a comparison changes the object."""
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and source(n.value) == own
        for n in ast.walk(method)
    )


def _compares(method: ast.FunctionDef, own: str, other: str) -> bool:
    if re.search(r"super\(\)\.__eq__|\w+\.__eq__\(|isclose\(|NotImplemented$", source(method)):
        return True
    return any(
        isinstance(n, ast.Compare)
        and isinstance(n.ops[0], ast.Eq)
        and {own, other} & names_in(n.left)
        and {own, other} & names_in(n.comparators[0])
        and names_in(n.left) & {own, other} != names_in(n.comparators[0]) & {own, other}
        for n in ast.walk(method)
    )


def pretends_length(node: ast.ClassDef) -> bool:
    """Tell whether a collection says the same length whatever it holds."""
    holds = any(source(base) in ("list", "dict", "tuple", "set", "str") for base in node.bases)
    for method in node.body if holds else ():
        if isinstance(method, ast.FunctionDef) and method.name == "__len__":
            return all(isinstance(v, ast.Constant) for v, _ in returns_of(method.body, ()))
    return False


def holders_in(tree: ast.AST) -> set[int]:
    """Return the methods of classes that hold something: fields, or what a type of values does.

    A method that is put into a class which is not shown counts as one of such.
    """
    return {
        id(method)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.Module | ast.If)
        and (
            not isinstance(node, ast.ClassDef)
            or any(isinstance(n, ast.AnnAssign) for n in node.body)
            or any(source(b) in _VALUES for b in getattr(node, "bases", ()))
            or any(re.search(r"\bself\.[a-z]", source(n)) for n in node.body)
        )
        for method in node.body
        if isinstance(method, ast.FunctionDef)
    }


def compares_nothing(node: ast.ClassDef) -> bool:
    """Tell whether a data class leaves all of its fields out of the comparison."""
    if not any("dataclass" in source(d) for d in node.decorator_list):
        return False
    fields = [n for n in node.body if isinstance(n, ast.AnnAssign)]
    return bool(fields) and all("compare=False" in source(n) for n in fields)
