"""Annotations: a union loses its dead member, anything else the whole annotation."""

import ast

from featuredel.languages.python.sites import (
    Blocked,
    Decision,
    Example,
    Site,
    Unwire,
    View,
    removal,
    replacement,
)

_OWNERS = (ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.AnnAssign)


def unwire(site: Site, view: View) -> Decision:
    """Cut the least that takes the name out of the annotation."""
    top = _annotation(site)
    if top is None:
        return None
    if isinstance(site.node, ast.Constant):
        return _whole(site, view, site.node if top is site.node else top)
    inner: ast.AST = site.node
    while inner is not top:
        outer = site.file.parents[inner]
        narrowed = _narrowed(site, view, outer, inner)
        if narrowed is not None:
            return narrowed
        inner = outer
    return _whole(site, view, top)


def _annotation(site: Site) -> ast.AST | None:
    """Return the whole annotation around the site."""
    inner: ast.AST | None = None
    for at in site.file.around(site.node):
        if isinstance(at, _OWNERS) and inner is not None:
            note = at.returns if isinstance(at, ast.FunctionDef | ast.AsyncFunctionDef) else None
            if isinstance(at, ast.arg | ast.AnnAssign):
                note = at.annotation
            if note is inner:
                return note
        if isinstance(at, ast.stmt):
            return None
        inner = at
    return None


def _narrowed(site: Site, view: View, outer: ast.AST, inner: ast.AST) -> Decision:
    """Return the cut of one member of a union, if `outer` is one."""
    text = site.file.text
    if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.BitOr):
        other = outer.left if inner is outer.right else outer.right
        if view.gone(site.file, other):
            return None
        if isinstance(other, ast.Constant) and other.value is None:
            return None  # only None would be left
        return Unwire((replacement(site.file, outer, text(other), inner),))
    if not isinstance(outer, ast.Tuple):
        return None
    union = site.file.parents[outer]
    if not isinstance(union, ast.Subscript) or _name(union.value) != "Union":
        return None
    left = [e for e in outer.elts if e is not inner and not view.gone(site.file, e)]
    if not left:
        return None
    inside = ", ".join(text(e) for e in left)
    whole = text(left[0]) if len(left) == 1 else f"{text(union.value)}[{inside}]"
    return Unwire((replacement(site.file, union, whole, inner),))


def _whole(site: Site, view: View, note: ast.AST) -> Decision:
    """Return the cut of the whole annotation."""
    owner = site.file.parents[note]
    if isinstance(owner, ast.AnnAssign) and (
        owner.value is None or isinstance(site.file.parents[owner], ast.ClassDef)
    ):
        defined = view.constant(site.file, owner)
        if defined is not None and view.may_die(defined):
            return Unwire((removal(site.file, "statement", owner),), (defined,))
        if owner.value is None and not isinstance(site.file.parents[owner], ast.ClassDef):
            return Unwire((removal(site.file, "statement", owner),))
        return Blocked("the type of a retained attribute")
    return Unwire((removal(site.file, "annotation", note),))


def _name(node: ast.AST) -> str:
    return getattr(node, "id", "") or getattr(node, "attr", "")


EXAMPLES = (
    Example(
        ("Dead",),
        """
from typing import Union


class Dead:
    pass


def kept(a: int | Dead = 1, b: Union[int, str, Dead] = 2, c: "Dead" = None) -> Dead:
    d: Dead = a  # live
    return d, Union  # live
""",
        """
from typing import Union


def kept(a: int = 1, b: Union[int, str] = 2, c=None):
    d = a  # live
    return d, Union  # live
""",
    ),
)
