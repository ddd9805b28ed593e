"""What code does with values that only tests hold."""

import ast
from collections.abc import Iterator

from featuredel.monitor.acts.syntax import tree_of
from featuredel.monitor.answers.constants import resolved
from featuredel.monitor.answers.foreign import ODD, Foreign, weight_of
from featuredel.monitor.answers.guarded import guarded, questions
from featuredel.monitor.answers.literals import literal, number
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
    told = sum(bool(foreign.odd([value])) for _, value in table)
    if told > 1 and 2 * told > len(table):
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
