"""Entries of registries: elements of lists, tuples and sets, items of dicts, isinstance tuples."""

import ast

from featuredel.languages.python.sites import (
    Blocked,
    Decision,
    Example,
    Site,
    Unwire,
    View,
    expressions,
    removal,
)

_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict)


def unwire(site: Site, view: View) -> Decision:
    """Cut the entry that names what is dead, with all that it is made of."""
    if site.kind in ("annotation", "base", "decorator", "import"):
        return None
    found = _entry(site)
    if found is None:
        return None
    display, entry = found
    if view.gone(site.file, entry):
        return Unwire()
    if isinstance(display, ast.Dict):
        return _item(site, view, display, entry)
    if _unpacked(site, display):
        return Blocked("one of several values that are unpacked")
    return Unwire((removal(site.file, "element", entry),))


def _entry(site: Site) -> tuple[ast.expr, ast.expr] | None:
    """Return the display and its entry around the site: a tuple inside a display is one entry."""
    found: tuple[ast.expr, ast.expr] | None = None
    for inner, outer in expressions(site.file, site.node):
        if isinstance(outer, ast.Lambda | ast.IfExp | ast.BoolOp) and found is None:
            if not isinstance(outer, ast.Lambda):
                return None
        elif isinstance(outer, ast.comprehension | ast.GeneratorExp | ast.ListComp | ast.DictComp):
            return found
        elif isinstance(outer, ast.Subscript) and outer.slice is inner:
            return None
        elif isinstance(outer, _DISPLAYS) and isinstance(inner, ast.expr):
            if found is not None and _is_list(inner, outer):
                return found
            found = (outer, inner)
            if not isinstance(outer, ast.Tuple):
                return found
        elif found is not None:
            return found
    return found


def _is_list(inner: ast.expr, outer: ast.expr) -> bool:
    """Tell a tuple that lists like things, as in `("title", (A, B, C))`, from a record."""
    if not isinstance(inner, ast.Tuple) or not isinstance(outer, ast.Tuple):
        return False
    listed = len(inner.elts) > 1 and all(
        isinstance(e, ast.Name | ast.Attribute) for e in inner.elts
    )
    return listed and not all(isinstance(other, ast.Tuple) for other in outer.elts)


def _item(site: Site, view: View, display: ast.Dict, entry: ast.expr) -> Decision:
    """Return the cut of an item, found by its key or its value."""
    for key, value in zip(display.keys, display.values, strict=True):
        if entry is key or entry is value:
            place = value if key is None else key
            gone = (value,) if key is None else (key, value)
            if any(view.gone(site.file, node) for node in gone):
                return Unwire()
            if key is not None and entry is not key and view.in_use(site.file, key, site.target):
                return Blocked("its key is in use by code that stays")
            return Unwire((removal(site.file, "element", place, *gone),))
    return None


def _unpacked(site: Site, display: ast.expr) -> bool:
    """Tell whether the values of a tuple are bound or returned one by one."""
    if not isinstance(display, ast.Tuple):
        return False
    outer = site.file.parents[display]
    if isinstance(outer, ast.Assign):
        return any(isinstance(goal, ast.Tuple | ast.List) for goal in outer.targets)
    return isinstance(outer, ast.Return | ast.Yield | ast.Delete | ast.BinOp)


EXAMPLES = (
    Example(
        ("dead", "Dead"),
        """
def dead():
    pass


class Dead:
    pass


def kept(x):
    return isinstance(x, (int, Dead))  # live


TABLE = {
    "kept": kept,  # stays
    # goes
    "dead": dead,
    "lazy": lambda: dead(),
}
PAIRS = [("kept", kept), ("dead", dead)]
TITLES = (("all", (kept, dead)), ("dead", (dead,)))
""",
        """
def kept(x):
    return isinstance(x, int)  # live


TABLE = {
    "kept": kept,  # stays
}
PAIRS = [("kept", kept)]
TITLES = (("all", (kept,)),)
""",
    ),
    Example(
        ("dead",),
        """
def dead():
    pass


def kept():
    return 1, dead  # live
""",
        None,
    ),
)
