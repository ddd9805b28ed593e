"""Names at module or class level that are made of what is dead: they go along."""

import ast

from featuredel.languages.python.sites import (
    Blocked,
    Decision,
    Example,
    Site,
    Unwire,
    View,
    removal,
)


def unwire(site: Site, view: View) -> Decision:
    """Cut the assignment, and count the name that it binds as dead."""
    statement = site.file.statement(site.node)
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return None
    if site.file.function(site.node) is not None or site.kind == "annotation":
        return None
    defined = view.constant(site.file, statement)
    if defined is not None:
        if defined == site.target:
            return Unwire((removal(site.file, "statement", statement),))
        if view.may_die(defined):
            return Unwire((removal(site.file, "statement", statement),), (defined,))
        return Blocked("a name made of it is used by other tests")
    goals = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if all(isinstance(goal, ast.Attribute | ast.Subscript) for goal in goals):
        return Unwire((removal(site.file, "statement", statement),))
    if isinstance(statement, ast.AugAssign) and site.node is statement.target:
        return Unwire((removal(site.file, "statement", statement),))
    return Blocked("one of several names assigned at once")


EXAMPLES = (
    Example(
        ("dead",),
        """
def dead():
    pass


other = dead
REGISTRY = {}
REGISTRY["dead"] = dead


class Kept:
    alias = staticmethod(other)

    def f(self):
        return 1  # live
""",
        """
REGISTRY = {}


class Kept:
    def f(self):
        return 1  # live
""",
    ),
    Example(
        ("dead",),
        """
def dead():
    pass


other = [x for x in dead()]


def kept():
    return other  # live
""",
        None,
    ),
)
