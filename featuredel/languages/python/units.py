"""The parts that a test file can lose on their own."""

import ast
from collections.abc import Iterator

from featuredel.languages.python.parsed import Function, Parsed, blocks


def inside(file: Parsed, node: ast.AST, outer: ast.AST) -> bool:
    """Tell whether `outer` is `node` or lies around it."""
    return any(at is outer for at in file.around(node))


def units(file: Parsed) -> tuple[ast.stmt, ...]:
    """Return what a file can lose on its own: statements of the module, its arms and classes."""
    return file.once(_units)


def _units(file: Parsed) -> tuple[ast.stmt, ...]:
    return tuple(_walk(file))


def _walk(file: Parsed) -> Iterator[ast.stmt]:
    waiting: list[ast.AST] = [file.tree]
    while waiting:
        for block in blocks(waiting.pop()):
            for node in block:
                if isinstance(node, ast.If | ast.Try | ast.With):
                    waiting.append(node)
                    continue
                if isinstance(node, ast.ClassDef):
                    waiting.append(node)
                yield node


def imports_of(file: Parsed, name: str) -> tuple[ast.alias, ...]:
    """Return what a module's `from` imports bring in under a name, in whichever arm."""
    return tuple(file.once(_imports).get(name, ()))


def _imports(file: Parsed) -> dict[str, list[ast.alias]]:
    found: dict[str, list[ast.alias]] = {}
    for node in units(file):
        if isinstance(node, ast.ImportFrom) and not isinstance(file.parents[node], ast.ClassDef):
            for alias in node.names:
                found.setdefault(alias.asname or alias.name, []).append(alias)
    return found


def unit_of(file: Parsed, node: ast.AST) -> ast.stmt:
    """Return the unit that holds `node`: the innermost one that is no part of a function."""
    found: ast.stmt | None = None
    for at in file.around(node):
        if isinstance(at, ast.stmt) and (found is None or isinstance(at, Function)):
            found = at
    assert found is not None
    return found


def is_plain(unit: ast.stmt) -> bool:
    """Tell whether a unit does nothing but bind names."""
    return isinstance(unit, Function | ast.ClassDef | ast.Assign | ast.AnnAssign)


def element_of(file: Parsed, node: ast.AST, unit: ast.stmt) -> ast.expr | None:
    """Return the element of the outermost display around `node` that can go by itself."""
    if not isinstance(unit, ast.Assign | ast.AnnAssign):
        return None
    found: ast.expr | None = None
    for at in file.around(node):
        outer = file.parents.get(at)
        if isinstance(outer, ast.List | ast.Set) or (
            isinstance(outer, ast.Tuple) and isinstance(file.parents.get(outer), ast.stmt)
        ):
            found = at if isinstance(at, ast.expr) else None
        elif isinstance(outer, ast.Dict) and isinstance(at, ast.expr):
            row = next((r for r, v in enumerate(outer.values) if v is at), None)
            found = at if row is None else outer.keys[row]
        if isinstance(outer, ast.stmt | None):
            break
    return found


def told(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """Return an import as pyflakes tells it."""
    if isinstance(node, ast.Import):
        renamed = alias.asname and alias.asname != alias.name.rpartition(".")[2]
        return f"{alias.name} as {alias.asname}" if renamed else alias.name
    dots = "." * node.level + (node.module or "")
    full = f"{dots}.{alias.name}" if node.module else f"{dots}{alias.name}"
    return f"{full} as {alias.asname}" if alias.asname and alias.asname != alias.name else full
