"""Except clauses: one that catches what is dead goes, or loses one of several types."""

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
    """Cut the type out of the tuple, or the whole clause; its body must be the feature's own."""
    outer = site.file.parents[site.node]
    clause = site.file.parents.get(outer) if isinstance(outer, ast.Tuple) else outer
    if not isinstance(clause, ast.ExceptHandler) or clause.type is None:
        return None
    if isinstance(outer, ast.Tuple):
        left = [e for e in outer.elts if e is not site.node and not view.gone(site.file, e)]
        if left:
            return Unwire((removal(site.file, "element", site.node),))
    if view.live(site.file, clause.body[0].lineno, clause.body[-1].end_lineno or clause.lineno):
        return Blocked("an except clause that other tests run")
    return Unwire((removal(site.file, "handler", clause),))


EXAMPLES = (
    Example(
        ("Dead", "Gone"),
        """
class Dead(Exception):
    pass


class Gone(Exception):
    pass


def kept():
    try:  # live
        x = 1  # live
    except (ValueError, Dead):
        x = 2  # live
    try:  # live
        x = 1  # live
    except Gone:
        # give up
        x = 2
    return x  # live
""",
        """
def kept():
    try:  # live
        x = 1  # live
    except ValueError:
        x = 2  # live
    x = 1  # live
    return x  # live
""",
    ),
)
