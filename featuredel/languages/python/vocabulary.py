"""The words of Python code: identifiers and string literals, for comparing code with a text."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

_PLACEHOLDERS = re.compile(
    r"%(?:\(\w*\))?[-#0 +]*[\d*]*(?:\.[\d*]+)?[diouxXeEfFgGcrsa%]|\{[^{}\s]*\}"
)
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_MIN_TEXT = 2  # a shorter string literal says nothing


@dataclass(frozen=True, slots=True)
class Words:
    """What a piece of code names and says.

    `names` are identifiers of every kind: names, attributes, parameters, keywords, imports.
    `texts` are string literals, docstrings left out; `pieces` are the same cut at their format
    placeholders, each at least two characters with a letter or digit.
    """

    names: frozenset[str]
    texts: frozenset[str]

    @property
    def pieces(self) -> frozenset[str]:
        """Return the constant parts of the texts."""
        return frozenset(piece for text in self.texts for piece in pieces_of(text))

    def __or__(self, other: "Words") -> "Words":
        """Return the words of both."""
        return Words(self.names | other.names, self.texts | other.texts)


NONE = Words(frozenset(), frozenset())


def pieces_of(text: str) -> Iterator[str]:
    """Yield the constant parts of a format string, or the whole of any other."""
    for piece in _PLACEHOLDERS.split(text):
        stripped = piece.strip()
        if len(stripped) >= _MIN_TEXT and any(c.isalnum() for c in stripped):
            yield stripped


def identifiers(text: str) -> frozenset[str]:
    """Return everything in any text that looks like an identifier."""
    return frozenset(_IDENTIFIER.findall(text))


def words_of(tree: ast.AST, lines: Collection[int] | None = None) -> Words:
    """Return the words of a tree, or of those of its nodes that start on `lines`."""
    names: set[str] = set()
    texts: set[str] = set()
    docstrings = {id(node) for node in _docstrings(tree)}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", None)
        if lines is not None and line not in lines:
            continue
        names.update(_names(node))
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            texts.update(_texts(node.value))
    return Words(frozenset(names), frozenset(texts))


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, bytes):
        return [value.decode("latin-1")]
    return []


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.arg | ast.keyword):
        if node.arg:
            yield node.arg
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.alias):
        yield from (node.asname or node.name).split(".")
        yield from node.name.split(".")


def _docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value
