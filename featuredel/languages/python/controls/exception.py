"""exception: what must be raised is a class that only the test knows.

with pytest.raises(KeyError):    with pytest.raises((KeyError, type('Amber', (Exception,), {}))[1]):
"""

import ast
import random
from collections.abc import Iterator

from featuredel.languages.python.controls import drawn
from featuredel.languages.python.controls.site import Body, Site
from featuredel.languages.python.spans import Edit

KIND = "exception"


def sites(body: Body, statement: ast.stmt) -> Iterator[Site]:
    """Yield a site for the class that a block, or a call, has to raise."""
    calls = []
    if isinstance(statement, ast.With):
        calls = [item.context_expr for item in statement.items]
    elif isinstance(statement, ast.Expr):
        calls = [statement.value]
    for call in calls:
        arguments = call.args[:1] if isinstance(call, ast.Call) and _raises(call.func) else []
        for kind in arguments:
            if not isinstance(kind, ast.Starred):
                yield _site(body, statement, kind)


def _raises(function: ast.expr) -> bool:
    name = getattr(function, "attr", getattr(function, "id", ""))
    return name in ("raises", "assertRaises", "assertRaisesRegex")


def _site(body: Body, statement: ast.stmt, kind: ast.expr) -> Site:
    def rewrite(chance: random.Random, broken: bool) -> list[Edit]:
        new = f"type({chance.choice(drawn.WORDS).title()!r}, (Exception,), {{}})"
        return [body.replaced(kind, drawn.choice(chance, body.of(kind), new, broken=broken))]

    return Site(KIND, statement, rewrite)
