"""constant: what an equality expects is another constant.

assert f(x) == 5        assert f(x) == (8, 5)[0]
assert f(x) == [1, 2]   assert f(x) == [1, {'amber': 2, 'cedar': 7}['cedar']]
"""

import ast
import random
from collections.abc import Iterator

from featuredel.languages.python.controls import drawn
from featuredel.languages.python.controls.equalities import equalities
from featuredel.languages.python.controls.site import Body, Site
from featuredel.languages.python.spans import Edit

KIND = "constant"
MAX_LENGTH = 200
"""A longer constant is not written twice."""


def sites(body: Body, statement: ast.stmt) -> Iterator[Site]:
    """Yield a site for each constant that a side of an equality is, or displays."""
    for pair in equalities(statement):
        for side in pair:
            for node in displayed(side):
                if other(node.value, random.Random(0)) is not None:  # noqa: S311 -- asks, draws nothing
                    yield _site(body, statement, node)


def other(value: object, chance: random.Random) -> object | None:
    """Return a constant of the same type that is not equal; None where there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.randint(1, 9)
    if isinstance(value, float):
        changed = value * 2 + chance.randint(1, 9)
        return changed if changed not in (value, float("inf")) and changed == changed else None
    if isinstance(value, str) and len(value) <= MAX_LENGTH:
        return value + chance.choice(drawn.WORDS) if value else chance.choice(drawn.WORDS)
    if isinstance(value, bytes) and len(value) <= MAX_LENGTH:
        return value + chance.choice(drawn.WORDS).encode()
    return None


def _site(body: Body, statement: ast.stmt, node: ast.Constant) -> Site:
    def rewrite(chance: random.Random, broken: bool) -> list[Edit]:
        new = repr(other(node.value, chance))
        return [body.replaced(node, drawn.choice(chance, body.of(node), new, broken=broken))]

    return Site(KIND, statement, rewrite)


def displayed(node: ast.expr) -> Iterator[ast.Constant]:
    """Yield the constants that an expression is, or displays as values."""
    if isinstance(node, ast.Constant):
        yield node
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from displayed(node.operand)
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for element in node.elts:
            yield from displayed(element)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from displayed(value)
