"""Calls whose only purpose is to hand over what is dead: `register("name", dead)`."""

import ast

from featuredel.languages.python.sites import (
    Decision,
    Example,
    Site,
    View,
    expressions,
    is_called,
    statement_removal,
)


def unwire(site: Site, view: View) -> Decision:
    """Cut the whole statement: at import anything, in a function only what is handed over."""
    statement = site.file.statement(site.node)
    if site.kind in ("annotation", "base", "decorator", "import"):
        return None
    if isinstance(statement, ast.Delete):
        return statement_removal(site.file, statement)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    if site.file.function(site.node) is None:
        return statement_removal(site.file, statement)
    handed = any(outer is statement.value and inner in _arguments(statement.value)
                 for inner, outer in expressions(site.file, site.node))  # fmt: skip
    if handed and not is_called(site.file, site.node) and not _returns(site, view):
        return statement_removal(site.file, statement)
    return None


def _arguments(call: ast.Call) -> list[ast.AST]:
    return [*call.args, *call.keywords]


def _returns(site: Site, view: View) -> bool:
    """Tell whether dropping the argument's class would be noticed: it is made into an object."""
    target = view.definition(site.target)
    return target is None or target.kind == "constant"


EXAMPLES = (
    Example(
        ("dead",),
        """
def dead():
    pass


def register(name, f):
    pass  # live


register("dead", dead)


def kept():
    register("dead", dead)  # live
    return 1  # live
""",
        """
def register(name, f):
    pass  # live


def kept():
    return 1  # live
""",
    ),
)
