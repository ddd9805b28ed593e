"""Names in `__all__`, and strings elsewhere at module level that list what there is."""

import ast

from featuredel.languages.python.sites import Decision, Example, Site, Unwire, View, removal


def unwire(site: Site, view: View) -> Decision:
    """Cut the name out of `__all__`, however it is written down."""
    del view
    if site.kind != "string" or not isinstance(site.node, ast.Constant):
        return None
    outer = site.file.parents[site.node]
    if not isinstance(outer, ast.List | ast.Tuple | ast.Set) or not _exports(site):
        return None
    if len(outer.elts) == 1 and isinstance(site.file.parents[outer], ast.AugAssign):
        statement = site.file.statement(site.node)
        return Unwire((removal(site.file, "statement", statement),))
    return Unwire((removal(site.file, "element", site.node),))


def _exports(site: Site) -> bool:
    statement = site.file.statement(site.node)
    goals = statement.targets if isinstance(statement, ast.Assign) else ()
    goal = goals[0] if goals else getattr(statement, "target", None)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        goal = getattr(statement.value.func, "value", None)
    return isinstance(goal, ast.Name) and goal.id == "__all__"


EXAMPLES = (
    Example(
        ("dead",),
        """
__all__ = [
    "dead",
    "kept",  # and why
]
__all__ += ["dead"]


def dead():
    pass


def kept():
    pass  # live
""",
        """
__all__ = [
    "kept",  # and why
]


def kept():
    pass  # live
""",
    ),
)
