"""Arms that only the feature takes: `if`, `elif`, conditional expressions, arms of a match."""

import ast

from featuredel.languages.python.sites import (
    Decision,
    Example,
    Site,
    Unwire,
    View,
    expressions,
    is_called,
    removal,
    replacement,
)


def unwire(site: Site, view: View) -> Decision:
    """Replace an `if` that asks for what is dead by its else part, and so on.

    The tests that stay never took the arm, so for them the condition was false.
    """
    if site.kind in ("annotation", "base", "decorator", "import"):
        return None
    for at in site.file.around(site.node):
        outer = site.file.parents.get(at)
        if isinstance(outer, ast.If) and at is outer.test:
            return _if(site, view, outer)
        if isinstance(outer, ast.match_case) and at is outer.pattern:
            return _case(site, view, outer)
        if isinstance(outer, ast.stmt):
            break
    return _conditional(site, view)


def _if(site: Site, view: View, node: ast.If) -> Decision:
    if _negated(node.test, site.node):
        if node.orelse and not _live(site, view, node.orelse):
            return Unwire((removal(site.file, "unwrap", node, node.test, *node.orelse),))
        return None
    if _live(site, view, node.body) or not _alone(site, node.test):
        return None
    action = removal(site.file, "body", node, node.test, *node.body)
    if not node.orelse and not _is_arm(site, node):
        action = removal(site.file, "statement", node)
    return Unwire((action,))


def _is_arm(site: Site, node: ast.If) -> bool:
    outer = site.file.parents[node]
    return isinstance(outer, ast.If) and outer.orelse == [node]


def _alone(site: Site, test: ast.expr) -> bool:
    """Tell whether the test is false without what is dead: by itself or as part of an `and`."""
    at: ast.AST = site.node
    while at is not test:
        at = site.file.parents[at]
        if isinstance(at, ast.BoolOp) and isinstance(at.op, ast.Or):
            return False
        if isinstance(at, ast.UnaryOp) and isinstance(at.op, ast.Not):
            return False
    return True


def _negated(test: ast.expr, node: ast.AST) -> bool:
    return (
        isinstance(test, ast.UnaryOp)
        and isinstance(test.op, ast.Not)
        and (test.operand is node or getattr(test.operand, "func", None) is node)
    )


def _live(site: Site, view: View, body: list[ast.stmt]) -> bool:
    return view.live(site.file, body[0].lineno, body[-1].end_lineno or body[-1].lineno)


def _case(site: Site, view: View, case: ast.match_case) -> Decision:
    if _live(site, view, case.body):
        return None
    return Unwire((removal(site.file, "case", case.pattern, case),))


def _conditional(site: Site, view: View) -> Decision:
    """Keep the other arm of a conditional expression whose arm calls what is dead."""
    if not is_called(site.file, site.node):
        return None
    for inner, outer in expressions(site.file, site.node):
        if isinstance(outer, ast.Lambda | ast.comprehension | ast.BoolOp):
            return None
        if isinstance(outer, ast.IfExp) and inner is not outer.test:
            other = outer.orelse if inner is outer.body else outer.body
            if view.gone(site.file, other):
                return None
            text = site.file.text(other)
            return Unwire((replacement(site.file, outer, text, inner, outer.test),))
    return None


EXAMPLES = (
    Example(
        ("dead",),
        """
def dead():
    return True  # ours


def kept(x, y):
    if x and dead():  # live
        x = 1  # ours
    elif y:  # live
        x = 2  # live
    else:
        x = 3  # live
    z = dead() if x else y  # live
    if dead():  # live
        return 4  # ours
    return x, z  # live
""",
        """
def kept(x, y):
    if y:  # live
        x = 2  # live
    else:
        x = 3  # live
    z = y  # live
    return x, z  # live
""",
    ),
    Example(
        ("dead",),
        """
def dead():
    return True  # ours


def kept(x):
    return x or dead()  # live
""",
        None,
    ),
)
