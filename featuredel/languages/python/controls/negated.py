"""negated: what a test insists on must not be so.

    assert x in f(y)            assert bool(x in f(y)) is not True
    self.assertTrue(f(y))       self.assertTrue(bool(f(y)) is not True)
    self.assertIn(x, f(y))      self.assertNotIn(x, f(y))

Implied where a test does the same each time it is run, as F2P do.
"""

import ast
import random
from collections.abc import Iterator

from featuredel.languages.python.controls.site import Body, Site
from featuredel.languages.python.spans import Edit

KIND = "negated"
_PAIRS = (
    ("assertIn", "assertNotIn"), ("assertIs", "assertIsNot"), ("assertRegex", "assertNotRegex"),
    ("assertIsNone", "assertIsNotNone"), ("assertIsInstance", "assertNotIsInstance"),
    ("assertEqual", "assertNotEqual"),
)  # fmt: skip
_OPPOSITES = {name: other for a, b in _PAIRS for name, other in ((a, b), (b, a))}


def sites(body: Body, statement: ast.stmt) -> Iterator[Site]:
    """Yield a site for what a statement asserts."""
    if isinstance(statement, ast.Assert):
        yield _of_truth(body, statement, statement.test)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if not isinstance(call.func, ast.Attribute):
            return
        if call.func.attr in ("assertTrue", "assertFalse") and len(call.args) in (1, 2):
            if not isinstance(call.args[0], ast.Starred):
                yield _of_truth(body, statement, call.args[0])
        elif call.func.attr in _OPPOSITES:
            yield _of_name(body, statement, call.func)


def _of_truth(body: Body, statement: ast.stmt, truth: ast.expr) -> Site:
    def rewrite(_chance: random.Random, broken: bool) -> list[Edit]:
        return [body.replaced(truth, f"bool({body.text.of(truth).decode()}) is not {broken}")]

    return Site(KIND, statement, rewrite)


def _of_name(body: Body, statement: ast.stmt, method: ast.Attribute) -> Site:
    _, end = body.text.span(method)
    start = end - len(method.attr.encode())

    def rewrite(_chance: random.Random, broken: bool) -> list[Edit]:
        return [Edit(start, end, 0, _OPPOSITES[method.attr].encode())] if broken else []

    return Site(KIND, statement, rewrite)
