"""One source file as it is read: bytes, parsed, and which of its lines are code."""

import ast
import warnings
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

MAX_FILE_BYTES = 2_000_000
"""A bigger file is data, whatever it is called; parsing it would take gigabytes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that parses."""

    path: str  # relative to the root of the tree
    tree: ast.Module
    code: tuple[int, ...]  # code[n]: code lines among the first n lines

    def code_lines(self, first: int, last: int) -> int:
        """Return the number of code lines from `first` to `last`, both included."""
        end = len(self.code) - 1
        return self.code[min(last, end)] - self.code[min(first - 1, end)]

    @property
    def length(self) -> int:
        """Return the number of lines."""
        return len(self.code) - 1


def read_source(root: Path, path: str, max_bytes: int = MAX_FILE_BYTES) -> Source | None:
    """Return the file parsed, or None if it is too big or is not Python of this interpreter."""
    file = root / path
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > max_bytes:
            return None
        data = file.read_bytes()
    except OSError:
        return None
    tree = parse(data)
    if tree is None:
        return None
    return Source(path, tree, _code(data, tree))


def parse(data: bytes) -> ast.Module | None:
    """Return the tree of `data`, read in the encoding that it declares, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like are not ours to report
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def docstring(node: ast.AST) -> ast.expr | None:
    """Return the docstring's node of a module, class or function."""
    body = getattr(node, "body", None)
    if not isinstance(body, list) or not body or not isinstance(body[0], ast.Expr):
        return None
    value = body[0].value
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value
    return None


def _code(data: bytes, tree: ast.Module) -> tuple[int, ...]:
    """Return the running count of code lines, `code[n]` for the first n lines."""
    lines = data.split(b"\n")  # a bare \r is rare enough to let it count as one line
    is_code = [bool(text) and text[0:1] != b"#" for text in map(bytes.strip, lines)]
    for node in _holders(tree):
        doc = docstring(node)
        if doc is not None and doc.end_lineno is not None:
            first, last = doc.lineno - 1, min(doc.end_lineno, len(is_code))
            is_code[first:last] = [False] * (last - first)
    return tuple(accumulate(is_code, initial=0))


def _holders(tree: ast.Module) -> list[ast.AST]:
    """Return the module and every class and function in it, found through statements only."""
    found: list[ast.AST] = [tree]
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            for child in getattr(node, name, None) or ():
                if not isinstance(child, ast.AST):
                    continue
                stack.append(child)
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    found.append(child)
    return found
