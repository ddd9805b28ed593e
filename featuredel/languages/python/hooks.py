"""Where what is gone was used: the places that a solution has to wire again."""

import ast
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from featuredel.languages.python.gold import gold_files
from featuredel.languages.python.source import parse
from featuredel.model import Definition, Deletion, Index


def users(
    root: Path, index: Index, deletion: Deletion, removed: Mapping[str, frozenset[int]]
) -> tuple[str, ...]:
    """Return the kept definitions that referred to what is deleted or lost lines, as ids, sorted.

    `removed` are the lines by path that the deletion takes away. A call of a method on who knows
    what is no reference, but that its line went says that it was meant. Of a module, imports do
    not count.
    """
    dead = frozenset(deletion.feature.definitions)
    found = {
        str(reference.holder)
        for reference in index.references
        if reference.strong and reference.kind != "import"
        and _under(reference.target, dead) and not _under(reference.holder, dead)
        and reference.path not in index.test_paths
    }  # fmt: skip
    gone = {file.path: file.deleted for file in gold_files(root, deletion)}
    for path, lines in removed.items():
        if path.endswith(".py") and deletion.edits.get(path) is not None:
            left = lines - _lines(gone.get(path, ())) - _no_code(root / path)
            found |= {_innermost(index, path, line) for line in left}
    return tuple(sorted(found))


def _under(definition: str, dead: Collection[str]) -> bool:
    return any(
        definition == d
        or definition.startswith(f"{d}.")
        or (d.endswith("::") and definition.startswith(d))
        for d in dead
    )


def _lines(nodes: Collection[ast.AST]) -> frozenset[int]:
    return frozenset(line for node in nodes for line in _span(node))


def _span(node: ast.AST) -> range:
    decorators = getattr(node, "decorator_list", ())
    first = min(getattr(at, "lineno", 1) for at in (node, *decorators))
    return range(first, (getattr(node, "end_lineno", None) or first) + 1)


def _no_code(file: Path) -> frozenset[int]:
    """Return the lines of a file that are blank, a comment, or part of an import."""
    data = file.read_bytes()
    bare = {
        number
        for number, line in enumerate(data.splitlines(), 1)
        if not line.strip() or line.strip().startswith(b"#")
    }
    tree = parse(data)
    nodes: Iterator[ast.AST] = ast.walk(tree) if tree else iter(())
    return _lines([n for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)]) | bare


def _innermost(index: Index, path: str, line: int) -> str:
    around = [
        d
        for d in index.definitions.values()
        if d.path == path
        and d.kind in ("function", "method", "class")
        and any(first <= line <= last for first, last in d.spans)
    ]
    return str(min(around, key=_length).id) if around else f"{path}::"


def _length(definition: Definition) -> int:
    return definition.last_line - definition.first_line
