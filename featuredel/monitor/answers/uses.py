"""What code does with values that only tests hold."""

import ast
import re
from collections.abc import Iterator

from featuredel.monitor.acts.syntax import tree_of
from featuredel.monitor.answers.constants import resolved
from featuredel.monitor.answers.foreign import ODD, Foreign, weight_of
from featuredel.monitor.answers.guarded import guarded, questions
from featuredel.monitor.answers.literals import literal, number, text_of, wordy
from featuredel.monitor.answers.spelled import Value
from featuredel.monitor.answers.tables import Table, tables
from featuredel.monitor.tested import lists_of, values_of_literal

MANY = 3
"""Odd values that a piece of code holds anywhere."""
LEAST = 3
"""Plain values, compared with together, that are no accident."""


def answers(tree: ast.Module, foreign: Foreign) -> ast.AST | None:
    """Return a place of code that asks for, or gives, what only tests hold."""
    tree = resolved(tree)
    for found in guarded(tree):
        asked = [q.given for q in found.asked if q.how != "length"]
        given, result = foreign.of(asked), foreign.of([found.result])
        measured = number(found.result) is not None and any(
            weight_of(abs(number(q) or 0)) and number(q) not in foreign.domain for q in asked
        )
        odd = foreign.odd([*asked, found.result])
        paired = given and (odd or number(found.result) is not None)
        if result and (paired or found.heedless or measured or foreign.odd([found.result])):
            return found.node
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and _of_a_case(node, foreign):
            return node
    for test in _conditions(tree):
        asked = [q.given for q in questions(test)]
        rows = [given for given in asked if isinstance(given, ast.Tuple) and foreign.of([given])]
        if foreign.odd(asked) or len(rows) > 1 or any(_several(q, foreign) for q in asked):
            return test
    for node in ast.walk(tree):
        kept = _kept(node)
        if any(foreign.of([k]) >= ODD or _several(k, foreign) for k in kept) or _lists(
            node, foreign
        ):
            return node
    return None


def _of_a_case(node: ast.If, foreign: Foreign) -> bool:
    """Tell whether what a branch asks for, and gives, stands together in a test."""
    asked = [q.given for q in questions(node.test) if q.how == "whole" and q.holds]
    given = [n.value for n in node.body if isinstance(n, ast.Return) and n.value is not None]
    joined = isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And)
    listed = [q for q in asked if lists_of(q)]
    if joined and len(asked) > 1 and listed and foreign.together(listed[:1], asked):
        return True
    return bool(asked) and foreign.together(asked, given)


def _lists(node: ast.AST, foreign: Foreign) -> bool:
    """Tell whether an input is looked for among several, of more than one value, of tests."""
    asked = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
    among = node.comparators[0] if isinstance(node, ast.Compare) and asked else None
    items = among.elts if isinstance(among, ast.Set | ast.List | ast.Tuple) else []
    values = [value for item in items for value in lists_of(item)]
    return LEAST <= len(values) == len(items) and set(values) <= foreign.own


def _several(given: ast.expr, foreign: Foreign) -> bool:
    """Tell whether several values of tests are compared with as one: a collection, words."""
    listed = isinstance(given, ast.List | ast.Tuple | ast.Set | ast.Dict)
    leaves = [value for value in values_of_literal(given) if isinstance(value, str)]
    if listed and len(leaves) >= LEAST and set(leaves) <= foreign.own:
        return True
    return foreign.of([given]) >= (ODD if listed else ODD + 1)


def _kept(node: ast.AST) -> list[ast.expr]:
    """Return what is compared with by a pattern, or out of which a computed place is taken."""
    if isinstance(node, ast.match_case) and isinstance(node.pattern, ast.MatchSequence):
        asked = _matched(node.pattern)
        return [asked] if asked else []
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
        listed = literal(node.value) and not isinstance(node.value, ast.Dict)
        return [node.value] if listed else []
    return []


def _matched(pattern: ast.pattern) -> ast.expr | None:
    """Return the literal that a pattern of nothing else stands for."""
    if isinstance(pattern, ast.MatchValue):
        return pattern.value
    parts = [_matched(p) for p in getattr(pattern, "patterns", [])]
    whole = [part for part in parts if part is not None]
    return ast.Tuple(whole) if parts and len(whole) == len(parts) else None


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
    if table and 2 * sum(bool(foreign.odd([key])) for key, _ in table) >= len(table):
        return True
    told = sum(bool(foreign.unsaid([v])) for k, v in table if not _name(k, foreign))
    cases = sum(foreign.together([k], [v]) for k, v in table)
    if max(told, cases) > 1 and 2 * max(told, cases) >= len(table):
        return True
    both = [(k, v) for k, v in table if foreign.of([k]) and foreign.of([v])]
    return sum(bool(foreign.odd([v])) or number(v) is not None for _, v in both) > 1


def _name(key: ast.expr, foreign: Foreign) -> bool:
    """Tell whether a key is a word that no test has, so that no test asks for it."""
    text = text_of(key)
    return text is not None and wordy(text) and text not in foreign.texts


def held_anywhere(tree: ast.AST, foreign: Foreign) -> list[Value]:
    """Return the odd values of tests that code holds, if there are many; nothing else."""
    found = foreign.unsaid([tree])
    if len(found) >= MANY:
        return found
    texts = [n for n in ast.walk(tree) if isinstance(n, ast.Constant)]
    return next((held for n in texts if (held := _words(n, foreign) or _packed(n, foreign))), [])


def _packed(node: ast.Constant, foreign: Foreign) -> list[Value]:
    """Return the odd texts of tests that one text has in a row, if there are several."""
    found = foreign.inside(node.value) if isinstance(node.value, str) else []
    return found if len(found) > 1 else []


def _words(node: ast.Constant, foreign: Foreign) -> list[Value]:
    """Return the words of a text that are those of tests, if there are many and most of all."""
    words = set(re.findall(r"[^\W\d_]{3,}", node.value)) if isinstance(node.value, str) else set()
    own: list[Value] = [word for word in sorted(words) if foreign.weight(word)]
    return own if len(own) > LEAST and 3 * len(own) >= 2 * len(words) else []


def data_of_tests(text: str, foreign: Foreign) -> list[Value]:
    """Return the odd values of tests that a file of data holds, if there are many."""
    return held_anywhere(tree_of(text) or ast.Constant(text), foreign) or _words(
        ast.Constant(text), foreign
    )
