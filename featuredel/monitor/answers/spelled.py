"""The values in code, however they are spelled."""

import ast
import base64
import binascii
import contextlib
import copy
import re
from collections.abc import Iterable, Iterator

from featuredel.monitor.answers.literals import number, text_of
from featuredel.monitor.tested import lists_of, value_of

LENGTH = 3
"""Characters of the longest text that holds no other."""

Value = str | float | tuple[str | float, ...]
"""A text, a number, or the values of a collection in order."""

_APART = re.compile(r"[\s,;|/=:>\"'\[\]{}()]+")


def values_within(node: ast.AST) -> Iterator[Value]:
    """Yield the values in a node, and those that texts hold in a plain disguise."""
    for inner in ast.walk(node):
        yield from lists_of(inner)
        value = value_of(inner)
        if value is None:
            continue
        yield value
        if isinstance(value, str):
            yield from numbers_in([value])
        if isinstance(value, str) and len(value) > LENGTH:
            for text in disguised(value):
                yield text
                yield from _pieces(text)


def numbers_in(values: Iterable[Value]) -> Iterator[float]:
    """Yield the numbers that are written as texts."""
    for value in values:
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}(\.\d+)?", value):
            yield float(value)


def worked_out(node: ast.AST) -> float | None:
    """Return the number that a literal is, or one operation with two of them."""
    if isinstance(node, ast.BinOp):
        left, right = number(node.left), number(node.right)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        return left * right if isinstance(node.op, ast.Mult) else None
    return number(node)


def disguised(text: str) -> Iterator[str]:
    """Yield a text, and what it is backwards, as hexadecimal and in base 64."""
    yield text
    yield text[::-1]
    for decode in (binascii.unhexlify, base64.b64decode):
        try:
            plain = decode(text).decode()
        except (ValueError, UnicodeDecodeError):
            continue
        if plain.isprintable():
            yield plain


def _pieces(text: str) -> Iterator[str | float]:
    for piece in _APART.split(text):
        if piece == text:
            continue
        yield piece
        yield from numbers_in([piece])


def bare(tree: ast.Module) -> ast.Module:
    """Return a copy without docstrings, whose examples are a reader's, and sums worked out.

    Statements that are nested deeper than they can be copied are left out.
    """
    kept: list[ast.stmt] = []
    for statement in tree.body:
        with contextlib.suppress(RecursionError):
            kept.append(_Bare().visit(copy.deepcopy(statement)))
    return ast.Module(kept, tree.type_ignores)


class _Bare(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.Pass() if text_of(node.value) is not None else self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)  # sums within are numbers by now
        value = worked_out(node)
        return node if value is None else ast.Constant(value)
