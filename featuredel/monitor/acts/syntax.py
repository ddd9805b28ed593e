"""Questions to Python's syntax trees that acts and rules share. Nothing is executed."""

import ast
import warnings
from collections.abc import Collection, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def tree_of(text: str) -> ast.Module | None:
    """Return the tree of a piece of Python; None if it has none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the code is warned of is no concern here
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def source(node: ast.AST) -> str:
    """Return a node as Python, "" for one that it cannot write: too many digits, too deep."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        return ""


def texts_in(node: ast.AST) -> list[str]:
    """Return the literal texts in a node."""
    return [
        n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]


def targets_of(node: ast.AST) -> list[ast.expr]:
    """Return what an assignment of a value assigns to; nothing for other nodes."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) and node.value is not None else []


def values_of(names: Collection[str], tree: ast.AST) -> list[ast.expr]:
    """Return what is assigned to variables of these names."""
    return [
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id in names for t in n.targets)
    ]


def defaults_of(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the arguments of a function that have a default, with it."""
    args = function.args
    every = [*args.posonlyargs, *args.args]
    last = every[len(every) - len(args.defaults) :]
    for argument, default in (
        *zip(last, args.defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ):
        if default is not None:
            yield argument.arg, default
