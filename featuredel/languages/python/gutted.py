"""Classes and functions that would stay with too little left of them."""

import ast
from collections.abc import Iterator

from featuredel.languages.python.parsed import Function, Parsed, lines_of
from featuredel.languages.python.plan import Done, Plan
from featuredel.model import Definition, DefinitionId

_SPARED_LINES = 2
"""Lines that a function may lose even where they are most of it."""


def block_gutted_classes(plan: Plan) -> None:
    """Block what would leave a retained class without its parts."""
    lost: dict[DefinitionId, list[Definition]] = {}
    for dead in plan.dead:
        known = plan.definition(dead)
        if known is None or plan.bench.follows(known.path):
            continue
        if known.kind == "method" and known.parent is not None:
            lost.setdefault(known.parent, []).append(known)
    for owner, methods in lost.items():
        every = [
            child
            for child in plan.bench.relation.children(owner)
            if plan.bench.index.definitions[child].kind == "method"
        ]
        gutted = len(methods) * 2 > len(every)
        for method in methods:
            over = _silently_replaced(plan, method)
            if method.qualname.endswith(".__init__"):
                plan.block(method.id, "a retained class would lose __init__")
            elif over is not None:
                plan.block(method.id, f"{over} would take over")
            elif gutted:
                plan.block(method.id, "a retained class would lose most of its methods")


def _silently_replaced(plan: Plan, method: Definition) -> str | None:
    """Return what takes over from a method, if its tests could pass as if it were there.

    The tests of a method that follows something else need that as well. A builtin type does
    not do what its heir was written for.
    """
    heir = plan.bench.takes_over(method)
    if heir is None or heir.kind == "builtin":
        return None
    follows = plan.dead[method.id] != method.id
    return heir.name if heir.kind == "needed" or not follows else None


def block_gutted_functions(plan: Plan) -> None:
    """Block what would leave little of a retained function."""
    for _, function, causes in gutted_functions(plan):
        for one in causes:
            plan.block(one.target, f"little would be left of {function.name}")


def gutted_functions(plan: Plan) -> Iterator[tuple[Parsed, Function, list[Done]]]:
    """Yield the retained functions that lose most of their lines, and by which removals."""
    lost: dict[Function, set[int]] = {}
    causes: dict[Function, list[Done]] = {}
    for one in plan.done:
        for node in one.removal.gone:
            function = one.file.function(node)
            if function is None or not isinstance(node, ast.stmt | ast.ExceptHandler):
                continue
            if one.file.path not in plan.removed_files and not plan.gone(one.file, function):
                lost.setdefault(function, set()).update(_code(one.file, *lines_of(node)))
                causes.setdefault(function, []).append(one)
    for function, lines in lost.items():
        file = causes[function][0].file
        whole = _code(file, lines_of(function.body[0])[0], lines_of(function)[1])
        if len(lines) > _SPARED_LINES and len(lines) * 2 > len(whole):
            yield file, function, causes[function]


def _code(file: Parsed, first: int, last: int) -> set[int]:
    return {line for line in range(first, last + 1) if file.source.code_lines(line, line)}
