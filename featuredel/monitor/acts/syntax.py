"""Questions to Python's syntax trees that acts and rules share. Nothing is executed."""

import ast
import warnings
from collections.abc import Collection, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def tree_of(text: str) -> ast.Module | None:
    """Return the tree of a piece of Python; None if it has none.

    Halves of characters, which no file can hold and a trajectory can, are question marks.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the code is warned of is no concern here
            return ast.parse(text.encode(errors="replace").decode())
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


def bound_by(node: ast.AST) -> dict[str, str]:
    """Return the names that an import binds, and the dotted names that they stand for."""
    if isinstance(node, ast.ImportFrom):
        return {a.asname or a.name: f"{node.module or ''}.{a.name}" for a in node.names}
    names = node.names if isinstance(node, ast.Import) else []
    short = {a.name.partition(".")[0]: a.name.partition(".")[0] for a in names if not a.asname}
    return short | {a.asname: a.name for a in names if a.asname}


def imported_by(node: ast.AST) -> list[str]:
    """Return the dotted names that an import takes; nothing for other nodes."""
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module or ''}.{alias.name}" for alias in node.names]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def positional_of(function: Function) -> list[str]:
    """Return the names of the arguments that a function may be given by their places."""
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]


def arguments_of(function: ast.AST) -> list[str]:
    """Return the names of a function's arguments, in order; nothing for other nodes."""
    args = function.args if isinstance(function, Function) else None
    if args is None:
        return []
    several = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [argument.arg for argument in several if argument is not None]


def given_to(function: ast.AST) -> set[str]:
    """Return the names of what a function is given, but for the object that it belongs to."""
    return set(arguments_of(function)) - {"self", "cls"}


def names_in(node: ast.AST) -> set[str]:
    """Return the names that occur in a node."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


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
