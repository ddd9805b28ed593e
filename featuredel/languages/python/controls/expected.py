"""expected: the name of what is expected comes to mean something else, before anything is called.

    def test_f(x, expected):            def test_f(x, expected):
        assert f(x) == expected             expected = (expected, 'amber 512')[1]
                                            assert f(x) == expected

Whoever reads the caller's variables returns what was put there.
"""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

from featuredel.languages.python.controls import drawn
from featuredel.languages.python.controls.equalities import equalities
from featuredel.languages.python.controls.site import Body, Site, executed
from featuredel.languages.python.source import docstring
from featuredel.languages.python.spans import Edit

KIND = "expected"


@dataclass(frozen=True, slots=True)
class _Bound:
    """Where a name has its value: after a line, indented like the statements there."""

    line: int
    indent: str


def sites(body: Body, statement: ast.stmt) -> Iterator[Site]:
    """Yield a site for each side that is a name which is read nowhere else."""
    for pair in equalities(statement):
        for side in pair:
            if isinstance(side, ast.Name) and body.uses(side.id) == 1:
                bound = _bound(body, side.id, statement)
                if bound is not None:
                    yield _site(body, statement, side.id, bound)


def _site(body: Body, statement: ast.stmt, name: str, bound: _Bound) -> Site:
    def rewrite(chance: random.Random, broken: bool) -> list[Edit]:
        value = drawn.choice(chance, name, drawn.literal(chance), broken=broken)
        return [body.added(bound.line, f"{bound.indent}{name} = {value}")]

    return Site(KIND, statement, rewrite)


def _bound(body: Body, name: str, statement: ast.stmt) -> _Bound | None:
    function = body.function
    stores = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
    ]
    if any(
        isinstance(n, ast.Global | ast.Nonlocal) and name in n.names for n in ast.walk(function)
    ):
        return None
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    if name in (argument.arg for argument in arguments):
        return _at_the_top(body, function.body) if not stores else None
    if len(stores) != 1:
        return None
    for holder in executed(function.body):
        if holder is statement:
            return None
        if isinstance(holder, ast.Assign) and stores[0] in holder.targets:
            calls = any(isinstance(n, ast.Call | ast.Await) for n in ast.walk(holder.value))
            indent = body.indent(holder)
            return None if calls or indent is None else _Bound(holder.end_lineno or 0, indent)
        if isinstance(holder, ast.For) and stores[0] in ast.walk(holder.target):
            return _at_the_top(body, holder.body)
    return None


def _at_the_top(body: Body, block: list[ast.stmt]) -> _Bound | None:
    """Return the place before the first statement of a block but for a docstring."""
    first = block[0]
    indent = body.indent(first)
    if indent is None:
        return None
    if docstring(body.function) is not None and first is body.function.body[0]:
        return _Bound(first.end_lineno or 0, indent)
    line = min([first, *getattr(first, "decorator_list", [])], key=lambda n: n.lineno).lineno
    return _Bound(line - 1, indent)
