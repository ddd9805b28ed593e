"""Base classes: an heir of a dead class goes along; else it loses the base."""

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
    """Let the heir go along if it may; cut the base if the heir has others or needs none of it."""
    if site.kind != "base":
        return None
    if view.may_die(site.holder):
        return Unwire(dead=(site.holder,))
    outer = site.file.parents[site.node]
    if not isinstance(outer, ast.ClassDef):
        return Blocked("inside a base of a retained class")
    target = view.definition(site.target)
    if target is None or target.code_lines > _MARKER_LINES:
        return Blocked("the base of a retained class")
    return Unwire((removal(site.file, "element", site.node),))


_MARKER_LINES = 2
"""A class of `class X:` and `pass` gives its heirs nothing but a mark."""

EXAMPLES = (
    Example(
        ("Dead",),
        """
class Dead:
    pass


class Heir(Dead):
    def f(self):
        return 1  # ours


class Kept(dict, Dead):
    def f(self):
        return 1  # live
""",
        """
class Kept(dict):
    def f(self):
        return 1  # live
""",
    ),
)
