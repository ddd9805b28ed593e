"""A place in a test function that can be written another way, and what can be told of one."""

import ast
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from featuredel.languages.python.gold import Function
from featuredel.languages.python.spans import Edit, Text

_ATOMS = (
    ast.Attribute, ast.Call, ast.Constant, ast.Dict, ast.List, ast.Name, ast.Set, ast.Subscript,
    ast.Tuple,
)  # fmt: skip
Rewrite = Callable[[random.Random, bool], list[Edit]]
"""Writes a place another way: broken, so that the test must fail; or else to the same effect."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place and how it is written another way; of one statement only one site is taken."""

    kind: str
    statement: ast.stmt
    rewrite: Rewrite


@dataclass(frozen=True, slots=True)
class Body:
    """A test function, in the text that it stands in."""

    text: Text
    function: Function
    cases: frozenset[str] = frozenset()  # ids of its parameters, where it has any

    def of(self, node: ast.AST) -> str:
        """Return the source of an expression, so that it can stand in another."""
        source = self.text.of(node).decode()
        return source if isinstance(node, _ATOMS) else f"({source})"

    def replaced(self, node: ast.AST, new: str) -> Edit:
        """Return the edit that puts `new` in the place of a node."""
        start, end = self.text.span(node)
        return Edit(start, end, 0, new.encode())

    def added(self, line: int, indented: str) -> Edit:
        """Return the edit that adds a line after the line of that number."""
        text, newline = indented.encode(), self.text.newline
        if line >= len(self.text.starts):  # the last line has no end
            end = len(self.text.data)
            return Edit(end, end, 0, newline + text)
        start = self.text.starts[line]
        return Edit(start, start, 0, text + newline)

    def indent(self, statement: ast.stmt) -> str | None:
        """Return what stands before a statement; None if that is another statement."""
        start = self.text.starts[statement.lineno - 1]
        before = self.text.data[start : start + statement.col_offset].decode()
        return None if before.strip() else before

    @property
    def lines(self) -> tuple[int, int]:
        """Where the lines of the function start and end, its decorators included."""
        starts, function = self.text.starts, self.function
        first = min(node.lineno for node in (function, *function.decorator_list))
        end = function.end_lineno or first
        return starts[first - 1], starts[end] if end < len(starts) else len(self.text.data)

    @property
    def statements(self) -> Iterator[ast.stmt]:
        """Yield the statements that a run which passes has executed."""
        return executed(self.function.body)

    def uses(self, name: str) -> int:
        """Return how often the function reads a name."""
        return sum(
            isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
            for node in ast.walk(self.function)
        )


_TRANSPARENT = frozenset(
    {
        "TemporaryDirectory", "catch_warnings", "closing", "context", "deprecated_call",
        "localcontext", "nullcontext", "open", "patch", "subTest", "warns",
    }
)  # fmt: skip
"""What can stand in a `with` and swallows nothing that a test would fail by."""


def executed(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a body that are executed whenever it comes to its end."""
    for statement in body:
        yield statement
        if returns(statement):
            return
        if isinstance(statement, ast.With | ast.AsyncWith):
            if all(_called(item.context_expr) in _TRANSPARENT for item in statement.items):
                yield from executed(statement.body)
        elif isinstance(statement, ast.For) and _goes_through_all(statement):
            yield from executed(statement.body)


def returns(node: ast.AST) -> bool:
    """Tell whether a statement may end its function, or give something out of it."""
    if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
        return True
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return False
    return any(returns(child) for child in ast.iter_child_nodes(node))


def yields(node: ast.AST) -> bool:
    """Tell whether a function is a generator."""
    inner = ast.walk(node)
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in inner)


def _goes_through_all(loop: ast.For) -> bool:
    """Tell whether a loop over values that are there runs its body, to the end, for each."""
    literal = isinstance(loop.iter, ast.Tuple | ast.List) and bool(loop.iter.elts)
    starred = literal and any(isinstance(e, ast.Starred) for e in loop.iter.elts)  # type: ignore[attr-defined]
    leaves = any(isinstance(node, ast.Break | ast.Continue) for node in ast.walk(loop))
    return literal and not starred and not leaves


def _called(node: ast.expr) -> str:
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    if isinstance(function, ast.Attribute):
        owner = function.value
        if function.attr in ("object", "dict", "multiple"):  # of mock.patch
            return getattr(owner, "attr", getattr(owner, "id", ""))
        return function.attr
    return getattr(function, "id", "")
