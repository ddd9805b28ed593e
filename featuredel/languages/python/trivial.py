"""Solutions that nobody would call one: if they earn much, the tests ask for too little.

Each keeps the gold code's interface and wiring, the most that a statement can give away, and
puts something worthless in place of every deleted body and constant.
"""

import ast
import difflib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from featuredel.languages.python.gold import (
    Function,
    GoldFile,
    Splice,
    functions,
    gold_files,
    without_docstring,
)
from featuredel.model import Deletion

Rewrite = Callable[[GoldFile, Function], Splice | None]


def trivial_solutions(root: Path, deletion: Deletion) -> Mapping[str, Mapping[str, bytes]]:
    """Return the trivial solvers' files by name, to lay over the task tree.

    `root` is the snapshot. A solver with the same files as an earlier one is left out.
    """
    files = tuple(gold_files(root, deletion))
    wiring = {
        path: (root / path).read_bytes()
        for path in deletion.gold_paths
        if (root / path).is_file() and not (root / path).is_symlink()
    }
    solvers: dict[str, Mapping[str, bytes]] = {}
    for name, rewrite in _SOLVERS.items():
        solution = dict(wiring)
        for file in files:
            changed = file.spliced(list(_splices(file, rewrite)))
            if changed is not None:
                solution[file.path] = changed
            else:
                solution.pop(file.path, None)  # never hand out the gold body by mistake
        if solution not in solvers.values():
            solvers[name] = solution
    return solvers


def _splices(file: GoldFile, rewrite: Rewrite) -> Iterator[Splice]:
    for node in file.deleted:
        for function in functions(node):
            splice = rewrite(file, function) or _return_none(file, function)
            if splice is not None:
                yield splice
        yield from _constants(file, node)


def _constants(file: GoldFile, node: ast.AST) -> Iterator[Splice]:
    """Yield the splices that empty the constants in and under `node`, outside functions."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            if not name.startswith("__"):
                yield Splice(*file.span(value), b"None")
        case ast.Module(body=body) | ast.ClassDef(body=body):
            for statement in body:
                yield from _constants(file, statement)


def _body(file: GoldFile, function: Function, text: bytes) -> Splice | None:
    """Return the splice that puts one statement in place of a body, keeping the docstring."""
    rest = without_docstring(function.body)
    if not rest:
        return None
    return Splice(file.span(rest[0])[0], file.span(rest[-1])[1], text)


def _return_none(file: GoldFile, function: Function) -> Splice | None:
    return _body(file, function, b"return None")


def _raise(file: GoldFile, function: Function) -> Splice | None:
    return _body(file, function, b"raise NotImplementedError")


def _identity(file: GoldFile, function: Function) -> Splice | None:
    """Return the first argument that a caller gives, else the receiver."""
    names = _parameters(function)
    if not names or function.name == "__init__":
        return None
    receiver = names[0] in ("self", "cls") and len(names) > 1
    return _body(file, function, b"return " + names[1 if receiver else 0].encode())


def _sibling(file: GoldFile, function: Function) -> Splice | None:
    """Put the nearest kept function at the same depth of the file in its place."""
    kept = [
        node
        for nodes in file.definitions.values()
        for node in nodes
        if isinstance(node, type(function))
        and node.col_offset == function.col_offset
        and id(node) not in file.inner
    ]
    if not kept:
        return None
    nearest = max(kept, key=lambda node: (_likeness(node, function), -node.lineno))
    head = b"def " + nearest.name.encode()
    text = _without_decorators(file, nearest)
    if head not in text:
        return None
    renamed = text.replace(head, b"def " + function.name.encode(), 1)
    start = file.offset(function.lineno, function.col_offset)
    return Splice(start, file.span(function)[1], renamed)


def _without_decorators(file: GoldFile, function: Function) -> bytes:
    return file.bytes[file.offset(function.lineno, function.col_offset) : file.span(function)[1]]


def _likeness(one: Function, other: Function) -> float:
    """Return how alike two functions are by name and parameters, in [0, 2]."""
    name = difflib.SequenceMatcher(None, one.name, other.name).ratio()
    ours, theirs = set(_parameters(one)), set(_parameters(other))
    union = ours | theirs
    return name + (len(ours & theirs) / len(union) if union else 1.0)


def _parameters(function: Function) -> list[str]:
    arguments = function.args
    return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]


_SOLVERS: Mapping[str, Rewrite] = {
    "raise NotImplementedError": _raise,
    "return None": _return_none,
    "identity": _identity,
    "copy of the nearest sibling": _sibling,
}
