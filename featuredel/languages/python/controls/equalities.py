"""The equalities that a statement of a test insists on."""

import ast
from collections.abc import Iterator

ASSERTED = frozenset(
    {
        "assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual",
        "assertSetEqual", "assertSequenceEqual", "assertMultiLineEqual", "assertCountEqual",
    }
)  # fmt: skip
"""Methods of `unittest.TestCase` that compare their first two arguments."""


def equalities(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the pairs of which both are equal whenever the statement has done its work."""
    if isinstance(statement, ast.Assert):
        yield from _of_test(statement.test)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        named = isinstance(call.func, ast.Attribute) and call.func.attr in ASSERTED
        starred = any(isinstance(argument, ast.Starred) for argument in call.args)
        if named and len(call.args) > 1 and not starred:
            yield call.args[0], call.args[1]


def expected_first(pair: tuple[ast.expr, ast.expr]) -> tuple[ast.expr, ...]:
    """Return what of a pair is expected: the side that does less, or both if that is not said."""
    effort = [_effort(side) for side in pair]
    return tuple(side for side, own in zip(pair, effort, strict=True) if own == min(effort))


def _of_test(test: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _of_test(value)
    elif isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        for place, operator in enumerate(test.ops):
            if isinstance(operator, ast.Eq):
                yield sides[place], sides[place + 1]


def _effort(node: ast.AST) -> int:
    """Rank what an expression does: it says a value, names one, or works it out."""
    kinds = {type(inner) for inner in ast.walk(node)}
    if kinds & {ast.Call, ast.Await}:
        return 3
    if kinds & {ast.Attribute, ast.Subscript, ast.BinOp}:
        return 2
    return int(ast.Name in kinds)
