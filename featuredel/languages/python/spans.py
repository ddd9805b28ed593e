"""Edit a source by positions: what no edit covers stays as it is, byte for byte."""

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Put `text` in the place of the bytes from `start` to `end`.

    Insertions at one position stand in the order of `rank`.
    """

    start: int
    end: int
    rank: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Text:
    """A source in UTF-8, with the positions of its nodes. Offsets count bytes of `data`."""

    data: bytes
    tree: ast.Module
    starts: tuple[int, ...]  # of each line
    encoding: str
    newline: bytes

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position as ast gives it."""
        return self.starts[line - 1] + column

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return where `node` starts and ends, decorators left out."""
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        end_line, end_column = node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return self.offset(line, column), self.offset(end_line, end_column)

    def of(self, node: ast.AST) -> bytes:
        """Return the source of `node`."""
        start, end = self.span(node)
        return self.data[start:end]

    def edited(self, edits: Iterable[Edit]) -> bytes:
        """Return the source with `edits`, in its own encoding; one inside another is dropped."""
        parts: list[bytes] = []
        position = 0
        for edit in sorted(edits, key=lambda e: (e.start, e.end != e.start, e.rank, -e.end)):
            if edit.start < position:
                continue
            parts += (self.data[position : edit.start], edit.text)
            position = edit.end
        parts.append(self.data[position:])
        return encode(b"".join(parts), self.encoding)


def read(source: bytes, tree: ast.Module | None = None) -> Text | None:
    """Return the parsed source, or None if it is not Python of this interpreter.

    `tree` is the source's, if it has been parsed.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        text = source.decode(encoding)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like are not ours to report
            tree = tree or ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, LookupError):
        return None
    data = text.encode()
    ends = [match.end() for match in _LINE_END.finditer(data)]
    first = _LINE_END.search(data)
    return Text(data, tree, (0, *ends), encoding, first.group() if first else b"\n")


def encode(data: bytes, encoding: str) -> bytes:
    """Return UTF-8 `data` in the encoding that `read` found."""
    return data if encoding == "utf-8" else data.decode().encode(encoding)
