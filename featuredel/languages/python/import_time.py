"""What of a module runs while it is imported, statement by statement."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImportTime:
    """A statement that runs at import, with the expressions that it evaluates itself."""

    node: ast.stmt
    values: tuple[ast.expr, ...]
    guardable: tuple[ast.expr, ...]  # of the values, those that a call could stand for
    targets: frozenset[str]  # module-level names that it assigns
    class_names: frozenset[str]  # bound in the class around it: a lambda does not see them


def import_time(tree: ast.Module) -> Iterator[ImportTime]:
    """Yield the statements that run at import, bodies of functions left out, in order."""
    lazy = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in tree.body
    )
    yield from _block(tree.body, None, lazy)


def _block(body: list[ast.stmt], names: frozenset[str] | None, lazy: bool) -> Iterator[ImportTime]:
    for node in body:
        yield _step(node, names, lazy)
        if isinstance(node, ast.ClassDef):
            yield from _block(node.body, _bound(node) | (names or frozenset()), lazy)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in blocks(node):
                yield from _block(inner, names, lazy)


def blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a compound statement, in order."""
    for name in ("body", "handlers", "cases", "orelse", "finalbody"):
        for child in (part := getattr(node, name, None) or []):
            if isinstance(child, ast.ExceptHandler | ast.match_case):
                yield child.body
        if part and isinstance(part[0], ast.stmt):
            yield part


def _step(node: ast.stmt, names: frozenset[str] | None, lazy: bool) -> ImportTime:
    values = list(_values(node, lazy))
    guardable: list[ast.expr] = list(getattr(node, "decorator_list", ()))
    targets: frozenset[str] = frozenset()
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr) and node.value:
        guardable.append(node.value)
        if names is None:
            targets = frozenset(_stored(node))
    return ImportTime(node, tuple(values), tuple(guardable), targets, names or frozenset())


def _values(node: ast.stmt, lazy: bool) -> Iterator[ast.expr]:
    """Yield the expressions that the statement evaluates, but those of its blocks."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from node.decorator_list
        yield from node.args.defaults
        yield from (value for value in node.args.kw_defaults if value)
        if not lazy:
            yield from _annotations(node)
        return
    for name, value in ast.iter_fields(node):
        if name == "annotation" and lazy:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.expr):
                yield child
            elif isinstance(child, ast.keyword):
                yield child.value
            elif isinstance(child, ast.withitem):
                yield child.context_expr


def _annotations(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [a for a in (arguments.vararg, arguments.kwarg) if a]
    yield from (a.annotation for a in every if a.annotation)
    if node.returns:
        yield node.returns


def _bound(node: ast.ClassDef) -> frozenset[str]:
    found: set[str] = set()
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            found.add(child.id)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(child.name)
        elif isinstance(child, ast.alias):
            found.add(child.asname or child.name.partition(".")[0])
    return frozenset(found)


def _stored(node: ast.stmt) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
