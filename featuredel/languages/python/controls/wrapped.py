"""wrapped: what an equality expects is a value that nobody expects.

    assert f(x) == g(y)     assert f(x) == ('amber 512', g(y))[0]

What was expected is still evaluated. Nothing is equal to both but what is equal to everything.
"""

import ast
import random
from collections.abc import Iterator

from featuredel.languages.python.controls import drawn
from featuredel.languages.python.controls.equalities import equalities, expected_first
from featuredel.languages.python.controls.site import Body, Site
from featuredel.languages.python.spans import Edit

KIND = "wrapped"
MAX_LENGTH = 500
"""A longer expression is not copied."""


def sites(body: Body, statement: ast.stmt) -> Iterator[Site]:
    """Yield a site for each side of an equality that may be the expected one."""
    for pair in equalities(statement):
        for side in expected_first(pair):
            if len(body.text.of(side)) <= MAX_LENGTH:
                yield _site(body, statement, side)


def _site(body: Body, statement: ast.stmt, side: ast.expr) -> Site:
    def rewrite(chance: random.Random, broken: bool) -> list[Edit]:
        new = drawn.literal(chance)
        return [body.replaced(side, drawn.choice(chance, body.of(side), new, broken=broken))]

    return Site(KIND, statement, rewrite)
