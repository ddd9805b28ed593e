"""A submission whose own functions do nothing."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from featuredel.languages.python import spans
from featuredel.languages.python.gold import Function, without_docstring
from featuredel.languages.python.source import parse
from featuredel.languages.python.spans import Edit

_BODY = b"raise NotImplementedError"


def ablated(root: Path, edits: Mapping[str, bytes | None]) -> Mapping[str, bytes]:
    """Return the edited files in which new or changed functions only raise."""
    found = {}
    for path, content in edits.items():
        text = spans.read(content) if content is not None and path.endswith(".py") else None
        if content is None or text is None:
            continue
        known = _known(root / path)
        own = [f for name, f in _functions(text.tree, "") if text.of(f) not in known[name]]
        emptied = text.edited(edit for function in own for edit in _emptied(text, function))
        if own and emptied != content and parse(emptied) is not None:
            found[path] = emptied
    return found


def _emptied(text: spans.Text, function: Function) -> Iterator[Edit]:
    body = without_docstring(function.body)
    if body:
        nodes = [body[0], *getattr(body[0], "decorator_list", [])]
        start = min(text.span(node)[0] for node in nodes)
        if len(nodes) > 1:
            start = text.data.rindex(b"@", 0, start)
        yield Edit(start, text.span(body[-1])[1], 0, _BODY)


def _known(file: Path) -> Mapping[str, set[bytes]]:
    """Return the sources of a file's functions, by name."""
    found: dict[str, set[bytes]] = defaultdict(set)
    is_file = file.is_file() and not file.is_symlink()
    text = spans.read(file.read_bytes()) if is_file else None
    for name, function in _functions(text.tree, "") if text is not None else ():
        found[name].add(text.of(function) if text is not None else b"")
    return found


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    """Yield the outermost functions with their qualified names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)
