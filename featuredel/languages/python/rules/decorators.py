"""Decorators: a retained function or class loses a decorator that is dead."""

import ast

from featuredel.languages.python.sites import (
    Blocked,
    Decision,
    Example,
    Site,
    Unwire,
    View,
    expressions,
    is_called,
    removal,
)


def unwire(site: Site, view: View) -> Decision:
    """Cut the decorator itself; an argument of another decorator is not ours to change."""
    if site.kind != "decorator":
        return None
    if view.may_die(site.holder):
        return Unwire(dead=(site.holder,))
    top = site.node
    for inner, outer in expressions(site.file, site.node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            top = inner
    called = is_called(site.file, site.node) and site.file.parents[site.node] is top
    if top is site.node or called:
        return Unwire((removal(site.file, "decorator", top),))
    return Blocked("an argument of a decorator of something retained")


EXAMPLES = (
    Example(
        ("dead",),
        """
def dead(f):
    return f


# Twice as good.
@staticmethod
@dead
def kept():
    pass  # live
""",
        """
# Twice as good.
@staticmethod
def kept():
    pass  # live
""",
    ),
)
