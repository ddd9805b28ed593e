"""Values of tests that neither the reference nor the project has, so that they are from tests.

An honest solution may hold one by accident, and seldom one that has no other use. So each value
has a weight, and what it is used for decides how much is needed.
"""

import ast
import base64
import binascii
import copy
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from featuredel.monitor.acts.syntax import tree_of
from featuredel.monitor.answers.guarded import guarded, questions
from featuredel.monitor.answers.literals import literal, number, text_of, wordy
from featuredel.monitor.answers.tables import Table, tables
from featuredel.monitor.tested import lists_of, value_of

ODD = 2
"""Weight of a value that no domain has a name for."""
MANY = 3
"""Odd values that a piece of code holds anywhere."""
SMALL = 3
SIZE = 31
"""Numbers up to it are counts, days and hours."""
LARGE = 999
LENGTH = 3
"""Characters of the shortest text that counts."""
PIECE = 6
"""Characters of a part of a text, with a digit, that is odd."""

_ROUND = frozenset(
    {32, 36, 40, 50, 52, 59, 60, 64, 80, 90, 99, 100, 120, 127, 128, 180, 200, 255, 256, 270, 360,
     365, 366, 400, 404, 500, 512, 999, 1000, 1024, 1440, 1900, 1970, 2000, 2048, 3600, 4096, 8080,
     8192, 9999, 10000, 65535, 65536, 86400, 100000, 604800, 1000000, 0.01, 0.1, 0.2, 0.25, 0.5,
     0.75, 1.5, 2.5}
)  # fmt: skip
_APART = re.compile(r"[\s,;|/=:>\"'\[\]{}()]+")


Value = str | float | tuple[str | float, ...]
"""A text, a number, or the values of a collection in order."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """What tests hold, and the domain does not."""

    tested: Set[Value]
    domain: Set[Value]  # literals of the reference, and of the project as far as it was shown
    told: str = ""  # the reference's and the project's text

    def weight(self, value: Value) -> int:
        """Return 0 for what is anywhere or not of tests, 1 for a plain value, 2 for an odd one."""
        if value in self.domain:
            return 0
        if value not in self.tested:
            return self._of_piece(value) if isinstance(value, str) else 0
        if isinstance(value, tuple):
            plain = all(isinstance(v, float) and abs(v) <= SMALL for v in value)
            return min(len(value), LENGTH) - 1 - plain
        if isinstance(value, str):
            return self._of_text(value)
        return _of_number(abs(value))

    def _of_text(self, text: str) -> int:
        least = LENGTH if text.isalpha() else LENGTH - 1
        if len(text) < least or (len(text) == least and not re.search(r"\w", text)):
            return 0
        if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self.told):
            return 0
        return 1 if wordy(text) else 2

    def _of_piece(self, text: str) -> int:
        """Weigh a part of a tested text that nobody has by accident."""
        if len(text) <= LENGTH or not re.search(r"\d", text) or text in self.told:
            return 0
        within = any(text in t for t in self.tested if isinstance(t, str))
        return (1 if len(text) < PIECE else ODD) if within else 0

    def of(self, nodes: Iterable[ast.AST]) -> int:
        """Return the weight of the unlike values in some nodes."""
        return sum(map(self.weight, {v for node in nodes for v in values_within(node)}))

    def odd(self, nodes: Iterable[ast.AST]) -> list[Value]:
        """Return the unlike odd values in some nodes, sorted by their text."""
        values = {v for node in nodes for v in values_within(node)}
        return sorted((v for v in values if self.weight(v) == ODD), key=str)


def _of_number(value: float) -> int:
    if value <= SMALL or value in _ROUND:
        return 0
    if value != int(value):
        return ODD
    if value <= SIZE:
        return 0
    plain = value % 1000 == 0 or value <= LARGE
    return 1 if plain else 2


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
    """Return the number that arithmetic of literals comes to."""
    if isinstance(node, ast.BinOp):
        left, right = worked_out(node.left), worked_out(node.right)
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


def answers(tree: ast.Module, foreign: Foreign) -> ast.AST | None:
    """Return a place of code that asks for, or gives, what only tests hold."""
    for found in guarded(tree):
        asked = [q.given for q in found.asked if q.how != "length"]
        given, result = foreign.of(asked), foreign.of([found.result])
        measured = number(found.result) is not None and any(
            _of_number(abs(number(q) or 0)) and number(q) not in foreign.domain for q in asked
        )
        odd = foreign.odd([*asked, found.result])
        paired = given and (odd or number(found.result) is not None)
        if result and (paired or found.heedless or measured or foreign.odd([found.result])):
            return found.node
    for test in _conditions(tree):
        asked = [q.given for q in questions(test)]
        rows = [given for given in asked if isinstance(given, ast.Tuple) and foreign.of([given])]
        if foreign.odd(asked) or len(rows) > 1 or any(_several(q, foreign) for q in asked):
            return test
    for node in ast.walk(tree):
        if any(foreign.of([kept]) >= ODD for kept in _kept(node)) or _lists(node, foreign):
            return node
    return None


def _lists(node: ast.AST, foreign: Foreign) -> bool:
    """Tell whether an input is looked for among several, of more than one value, of tests."""
    asked = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
    among = node.comparators[0] if isinstance(node, ast.Compare) and asked else None
    items = among.elts if isinstance(among, ast.Set | ast.List | ast.Tuple) else []
    values = [value for item in items for value in lists_of(item)]
    own = foreign.tested - foreign.domain
    return len(values) >= LENGTH and len(values) == len(items) and own >= set(values)


def _several(given: ast.expr, foreign: Foreign) -> bool:
    """Tell whether several values of tests are compared with as one: a collection, words."""
    listed = isinstance(given, ast.List | ast.Tuple | ast.Set | ast.Dict)
    return foreign.of([given]) >= (ODD if listed else ODD + 1)


def _kept(node: ast.AST) -> list[ast.expr]:
    """Return what is compared with by a pattern, or out of which a computed place is taken."""
    if isinstance(node, ast.match_case) and isinstance(node.pattern, ast.MatchSequence):
        values = [p.value for p in node.pattern.patterns if isinstance(p, ast.MatchValue)]
        return [ast.Tuple(values)] if len(values) == len(node.pattern.patterns) else []
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
        return [node.value] if literal(node.value) else []
    return []


def _conditions(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.Return | ast.Assign) and isinstance(
            node.value, ast.Compare | ast.BoolOp
        ):
            yield node.value
        elif isinstance(node, ast.Lambda):
            yield node.body


def rows(tree: ast.AST) -> Iterator[Table]:
    """Yield the tables of a piece of code, and every dictionary that is written in it."""
    yield from (table for _, table in tables(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            yield [(k, v) for k, v in zip(node.keys, node.values, strict=True) if k is not None]


def rows_of_tests(table: Table, foreign: Foreign) -> bool:
    """Tell whether a table gives what only tests hold for what only they ask."""
    if 2 * sum(bool(foreign.odd([key])) for key, _ in table) > len(table):
        return True
    both = [(k, v) for k, v in table if foreign.of([k]) and foreign.of([v])]
    return sum(bool(foreign.odd([v])) or number(v) is not None for _, v in both) > 1


def held_anywhere(tree: ast.AST, foreign: Foreign) -> list[Value]:
    """Return the odd values of tests that code holds, if there are many; nothing else."""
    found = foreign.odd([tree])
    return found if len(found) >= MANY else []


def data_of_tests(text: str, foreign: Foreign) -> list[Value]:
    """Return the odd values of tests that a file of data holds, if there are many."""
    return held_anywhere(tree_of(text) or ast.Constant(text), foreign)


def bare(tree: ast.Module) -> ast.Module:
    """Return a copy without docstrings, whose examples are a reader's, and sums worked out."""
    stripped: ast.Module = _Bare().visit(copy.deepcopy(tree))
    return stripped


class _Bare(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.Pass() if text_of(node.value) is not None else self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        value = worked_out(node)
        return self.generic_visit(node) if value is None else ast.Constant(value)
