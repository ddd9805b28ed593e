"""The gold code of a deletion: its nodes in the snapshot's files, and splicing text into them.

ast counts columns in bytes of UTF-8 whatever the file's own encoding is, so a file is spliced
as UTF-8 and encoded back.
"""

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from featuredel.model import Deletion

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = Function | ast.ClassDef
Named = Scope | ast.Assign | ast.AnnAssign

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_BLOCKS = ("body", "orelse", "finalbody", "handlers")


@dataclass(frozen=True, slots=True)
class Splice:
    """Replace the bytes from `start` up to `end` by `text`."""

    start: int
    end: int
    text: bytes


class GoldFile:
    """A Python file that holds gold code, and the deleted definitions in it."""

    def __init__(self, path: str, source: bytes, qualnames: Collection[str]) -> None:
        """Parse a file; raise `SyntaxError` or `ValueError` if it is no Python text."""
        self.path = path
        self.encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        text = source.decode(self.encoding)
        self.bytes = text.encode()
        self.tree = ast.parse(text)
        self._starts = [match.start() for match in _LINE.finditer(self.bytes)]
        self.definitions = dict(_by_name(self.tree.body, ""))
        self.deleted = tuple(_outermost(self.tree, self.definitions, qualnames))
        self.inner = frozenset(id(n) for node in self.deleted for n in ast.walk(node))

    def offset(self, line: int, column: int) -> int:
        """Return where in `bytes` a position of ast is."""
        return self._starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return start and end of a node in `bytes`, decorators included."""
        first = min([node, *getattr(node, "decorator_list", [])], key=lambda n: n.lineno)
        start = self.offset(first.lineno, first.col_offset)
        if first is not node:
            start = self.bytes.rindex(b"@", 0, start)
        return start, self.offset(node.end_lineno or 0, node.end_col_offset or 0)

    def text(self, node: ast.expr | ast.stmt) -> bytes:
        """Return the source text of a node."""
        start, end = self.span(node)
        return self.bytes[start:end]

    def spliced(self, splices: Collection[Splice]) -> bytes | None:
        """Return the file with disjoint splices made, or None if that is no longer Python."""
        try:
            for node in self.tree.body:  # each by itself: a file may be a hundred times as long
                start, end = self.span(node)
                own = [s for s in splices if start <= s.start and s.end <= end]
                if own:
                    ast.parse(_spliced(self.bytes, own, start, end).decode())
            return _spliced(self.bytes, splices, 0, None).decode().encode(self.encoding)
        except (SyntaxError, ValueError):
            return None


def _spliced(source: bytes, splices: Collection[Splice], start: int, end: int | None) -> bytes:
    parts = []
    for splice in sorted(splices, key=lambda s: s.start):
        parts += [source[start : splice.start], splice.text]
        start = splice.end
    return b"".join([*parts, source[start:end]])


def gold_files(root: Path, deletion: Deletion) -> Iterator[GoldFile]:
    """Yield the files of the snapshot at `root` that hold deleted definitions, by path."""
    names: dict[str, set[str]] = {}
    for definition in deletion.feature.definitions:
        path, _, qualname = definition.partition("::")
        names.setdefault(path, set()).add(qualname)
    for path in sorted(names):
        try:
            yield GoldFile(path, (root / path).read_bytes(), names[path])
        except (SyntaxError, ValueError, OSError):
            continue


def functions(node: ast.AST) -> Iterator[Function]:
    """Yield the outermost functions in and under `node`, in the order of the text."""
    if isinstance(node, Function):
        yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from functions(child)


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a body but for its docstring."""
    first = body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return body[1:]
    return body


def _outermost(
    tree: ast.Module, definitions: dict[str, list[Named]], qualnames: Collection[str]
) -> Iterator[ast.AST]:
    if "" in qualnames:
        yield tree
        return
    for qualname in sorted(qualnames):
        parts = qualname.split(".")
        if not any(".".join(parts[:i]) in qualnames for i in range(1, len(parts))):
            yield from definitions.get(qualname, ())


def _by_name(body: list[ast.stmt], prefix: str) -> dict[str, list[Named]]:
    """Return the named nodes of a body by qualified name; a name may be bound in many arms."""
    found: dict[str, list[Named]] = {}
    for statement in body:
        for name in _names(statement):
            found.setdefault(prefix + name, []).append(statement)  # type: ignore[arg-type]
        if isinstance(statement, Scope):
            inner = _by_name(statement.body, f"{prefix}{statement.name}.")
            found.update(inner)
            continue
        for block in _BLOCKS:
            for name, nodes in _by_name(_statements(statement, block), prefix).items():
                found.setdefault(name, []).extend(nodes)
    return found


def _statements(statement: ast.stmt, block: str) -> list[ast.stmt]:
    nodes = getattr(statement, block, [])
    if block != "handlers":
        return list(nodes)
    return [inner for handler in nodes for inner in handler.body]


def _names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, Scope):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id
