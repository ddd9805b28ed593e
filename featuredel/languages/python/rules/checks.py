"""Operands that ask whether something is of a dead type: nothing is, for the tests that stay."""

import ast

from featuredel.languages.python.sites import (
    Decision,
    Example,
    Site,
    Unwire,
    View,
    is_called,
    replacement,
)


def unwire(site: Site, view: View) -> Decision:
    """Drop the `isinstance(x, Dead)` of an `or`, the `not isinstance(x, Dead)` of an `and`."""
    asked = _asked(site)
    if asked is None:
        return None
    outer = site.file.parents[asked]
    wanted: type[ast.boolop] = ast.Or
    if isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not):
        asked, outer, wanted = outer, site.file.parents[outer], ast.And
    if not isinstance(outer, ast.BoolOp) or not isinstance(outer.op, wanted):
        return None
    left = [site.file.text(v) for v in outer.values if v is not asked]
    if any(view.gone(site.file, v) for v in outer.values) or any("\n" in text for text in left):
        return None
    joined = (" or " if wanted is ast.Or else " and ").join(left)
    return Unwire((replacement(site.file, outer, joined, asked),))


def _asked(site: Site) -> ast.expr | None:
    """Return the call of isinstance or issubclass that asks for the dead type alone."""
    call = site.file.parents[site.node]
    if not isinstance(call, ast.Call) or is_called(site.file, site.node):
        return None
    named = isinstance(call.func, ast.Name) and call.func.id in ("isinstance", "issubclass")
    return call if named and call.args[-1] is site.node else None


EXAMPLES = (
    Example(
        ("Dead",),
        """
class Dead:
    pass


def kept(x):
    if isinstance(x, int) or isinstance(x, Dead):  # live
        return 1  # live
    return (x and not isinstance(x, Dead))  # live
""",
        """
def kept(x):
    if isinstance(x, int):  # live
        return 1  # live
    return (x)  # live
""",
    ),
)
