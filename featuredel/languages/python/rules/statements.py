"""Statements in retained functions that only the feature's tests run, or no test at all."""

import ast
from collections.abc import Iterator

from featuredel.languages.python.parsed import Function, blocks, header_lines, lines_of
from featuredel.languages.python.sites import (
    Blocked,
    Decision,
    Example,
    Removal,
    Site,
    Unwire,
    View,
    removal,
    stored_names,
)

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def unwire(site: Site, view: View) -> Decision:
    """Cut the statement; with it what needs the names that it binds, or the arm around it."""
    function = site.file.function(site.node)
    if function is None:
        return None
    statement = site.file.statement(site.node)
    if isinstance(statement, Function) or view.live(site.file, *header_lines(statement)):
        return None
    gone = _extent(site, view, function, statement)
    if gone is None:
        return Blocked("other tests need what the statement binds")
    if _hollow(site, view, function, gone):
        return Blocked("nothing would be left of a retained function")
    return Unwire(tuple(_removals(site, gone)))


def _extent(
    site: Site, view: View, function: Function, statement: ast.stmt
) -> list[ast.stmt] | None:
    """Return the statements that go together with `statement`, or None if some must stay."""
    gone = [statement]
    if any(isinstance(node, _ENDS) for node in ast.walk(statement)):
        gone = _run(site, view, statement)
    waiting = list(gone)
    while waiting:
        names = stored_names([waiting.pop()])
        for user in _users(site, view, function, names, gone):
            if view.live(site.file, *header_lines(user)):
                if _bound_elsewhere(site, view, function, names, gone):
                    continue
                return None
            gone.append(user)
            waiting.append(user)
    return gone


def _run(site: Site, view: View, statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements around one that ends its block which only it can be there for."""
    block = site.file.block(statement)
    at = block.index(statement)
    first = last = at
    while first > 0 and not view.live(site.file, *lines_of(block[first - 1])):
        first -= 1
    while last + 1 < len(block) and not view.live(site.file, *lines_of(block[last + 1])):
        last += 1
    return block[first : last + 1]


def _users(
    site: Site, view: View, function: Function, names: frozenset[str], gone: list[ast.stmt]
) -> Iterator[ast.stmt]:
    """Yield the statements of the function that read one of `names` and are not gone."""
    if not names:
        return
    for node in ast.walk(function):
        if not isinstance(node, ast.Name) or node.id not in names:
            continue
        if isinstance(node.ctx, ast.Store) or view.gone(site.file, node):
            continue
        around = list(site.file.around(node))
        if any(at in around for at in gone):
            continue
        user = next(at for at in around if isinstance(at, ast.stmt))
        if user not in gone:
            yield user


def _bound_elsewhere(
    site: Site, view: View, function: Function, names: frozenset[str], gone: list[ast.stmt]
) -> bool:
    """Tell whether each name still has another binding in the function (or is a parameter)."""
    held = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            held.update(node.names)
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Store):
            continue
        if not view.gone(site.file, node) and not any(at in gone for at in site.file.around(node)):
            held.add(node.id)
    return names <= held


def _hollow(site: Site, view: View, function: Function, gone: list[ast.stmt]) -> bool:
    left = [
        node
        for node in function.body
        if node not in gone
        and not view.gone(site.file, node)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    return not left


def _removals(site: Site, gone: list[ast.stmt]) -> Iterator[Removal]:
    for node in gone:
        yield removal(site.file, "statement", node)


def empty_arms(site: Site, view: View) -> Decision:
    """Return the cut of the statement or arm in which nothing is left but `site.node`, if it is so.

    An arm that only the feature's tests take goes as soon as half of it is gone.
    """
    node = site.node
    outer = site.file.parents.get(node)
    if outer is None or isinstance(outer, Function | ast.ClassDef | ast.Module):
        return None
    for block in blocks(outer):
        if node in block:
            left = [at for at in block if not view.gone(site.file, at)]
            if not left or (_is_own(site, view, outer, left) and len(left) * 2 <= len(block)):
                return _without_block(site, view, outer, block)
    return None


def _is_own(site: Site, view: View, outer: ast.AST, left: list[ast.stmt]) -> bool:
    """Tell whether an arm is the feature's own: no test that stays runs anything of it."""
    return (
        isinstance(outer, ast.If | ast.ExceptHandler | ast.match_case)
        and site.file.function(site.node) is not None
        and not any(view.live(site.file, *lines_of(node)) for node in left)
    )


def _without_block(site: Site, view: View, outer: ast.AST, block: list[ast.stmt]) -> Decision:
    if isinstance(outer, ast.ExceptHandler):
        return Unwire((removal(site.file, "handler", outer, outer, *block),))
    if isinstance(outer, ast.match_case):
        return Unwire((removal(site.file, "case", outer.pattern, outer, *block),))
    assert isinstance(outer, ast.stmt)
    if block is getattr(outer, "orelse", None) and not isinstance(outer, ast.Try):
        return Unwire((removal(site.file, "else", outer, *block),))
    if block is not getattr(outer, "body", None):
        return None
    orelse = getattr(outer, "orelse", None) or []
    left = [node for node in orelse if not view.gone(site.file, node)]
    if isinstance(outer, ast.If) and (left or _is_arm(site, outer)):
        return Unwire((removal(site.file, "body", outer, outer.test, *block),))
    if left:
        return None
    return Unwire((removal(site.file, "statement", outer),))


def _is_arm(site: Site, node: ast.If) -> bool:
    outer = site.file.parents[node]
    return isinstance(outer, ast.If) and outer.orelse == [node]


EXAMPLES = (
    Example(
        ("dead",),
        """
def dead(x):
    return x  # ours


def kept(x):
    y = 1  # live
    if x:  # live
        # only then
        y = dead(x)  # ours
    if not y:  # live
        z = dead(x)  # ours
        y = z + 1  # ours
        return y  # ours
    y += 1  # live
    y *= 2  # live
    while x:  # live
        x -= 1  # live
    if y > 3:  # live
        y -= 1  # live
    return y  # live
""",
        """
def kept(x):
    y = 1  # live
    y += 1  # live
    y *= 2  # live
    while x:  # live
        x -= 1  # live
    if y > 3:  # live
        y -= 1  # live
    return y  # live
""",
    ),
    Example(
        ("dead",),
        """
def dead(x):
    return x  # ours


def kept(x):
    x = dead(x)  # live
    return x  # live
""",
        None,
    ),
    Example(
        ("dead",),
        """
def dead(x):
    return x  # ours


def kept(x):
    if x:  # live
        return 1  # live
    # the long way
    x = x + 1  # ours
    return dead(x)  # ours
""",
        """
def kept(x):
    if x:  # live
        return 1  # live
""",
    ),
)
