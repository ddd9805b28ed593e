"""Where what is gone was used: the places that a solution has to wire again."""

import ast
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from featuredel import trees
from featuredel.languages.python.source import parse
from featuredel.model import Deletion, Index


def users(root: Path, index: Index, deletion: Deletion) -> tuple[str, ...]:
    """Return the ids of kept definitions that referred to what is deleted, or were changed; sorted.

    A call of a method on who knows what is no reference, but that it was cut says what it meant.
    """
    dead = frozenset(deletion.feature.definitions)
    found = {
        str(reference.holder)
        for reference in index.references
        if reference.strong and reference.kind != "import"
        and _under(reference.target, dead) and not _under(reference.holder, dead)
        and reference.path not in index.test_paths
    }  # fmt: skip
    for path in deletion.gold_paths:
        edit = deletion.edits.get(path)
        if path.endswith(".py") and edit is not None and (root / path).is_file():
            old, new = parse(trees.read(root, path)), parse(edit)
            if old is not None and new is not None:
                found |= {f"{path}::{name}" for name in _changed(old.body, new.body, "")}
    return tuple(sorted(found))


def _under(definition: str, dead: Collection[str]) -> bool:
    return any(
        definition == d
        or definition.startswith(f"{d}.")
        or (d.endswith("::") and definition.startswith(d))
        for d in dead
    )


def _changed(old: Sequence[ast.stmt], new: Sequence[ast.stmt], scope: str) -> Iterator[str]:
    """Yield the names of the definitions in both blocks that are not the same, the block's too.

    What is gone whole is no use of itself, and imports only served one.
    """
    before: dict[str, list[ast.stmt]] = {}
    for node in old:
        for name in _names(node):
            before.setdefault(name, []).append(node)
    for node in new:
        for name in _names(node):
            then = before.get(name, [])
            if not then or ast.dump(node) in map(ast.dump, then):
                continue
            last = then[-1]
            if isinstance(last, ast.ClassDef) and isinstance(node, ast.ClassDef):
                yield from _changed(last.body, node.body, f"{scope}{name}.")
                if _head(last) != _head(node):
                    yield scope + name
            else:
                yield scope.rstrip(".") if name == "__all__" else scope + name
    left = {ast.dump(node) for node in new}
    if any(
        not _names(node) and not isinstance(node, ast.Import | ast.ImportFrom)
        and ast.dump(node) not in left
        for node in old
    ):  # fmt: skip
        yield scope.rstrip(".")


def _names(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _head(node: ast.ClassDef) -> list[str]:
    return [ast.dump(part) for part in (*node.bases, *node.keywords, *node.decorator_list)]
