"""Whether a comparison of two objects asks what they hold, as far as its code tells."""

import ast
from collections.abc import Iterator

from featuredel.monitor.acts.syntax import names_in, positional_of, source, values_of

METHODS = {
    "__eq__": True, "__ne__": False, "__contains__": True, "__instancecheck__": True,
    "__subclasscheck__": True,
}  # fmt: skip

_BROAD = frozenset(
    {
        "str", "bytes", "int", "float", "complex", "bool", "list", "tuple", "dict", "set",
        "frozenset", "object", "Number", "Real", "Iterable", "Sequence", "Mapping", "Sized",
        "Collection", "Container", "Hashable", "Callable", "Any",
    }
)  # fmt: skip


MOST = 8
"""Names that are followed one after the other, which may go round in a circle."""


def fixed_answer(node: ast.FunctionDef, *, holds: bool = False) -> bool:
    """Tell whether a method says yes whatever the two objects hold, if they hold something."""
    returned = list(returns_of(node.body, ()))
    wanted = METHODS[node.name]
    if not returned:
        return False
    if all(_truth(value, node) is wanted for value, _ in returned):
        return True
    names = positional_of(node)
    if node.name != "__eq__" or len(names) != 2:
        return False
    if holds and not _relates(node, names[1]):
        return True
    if _never_asks(node, names[1]) and any(value is not None for value, _ in returned):
        return True
    return any(_blind(value, tests, (names[0], names[1]), node) for value, tests in returned)


def always(value: ast.expr) -> bool:
    """Tell whether a comparison in one expression says the same of all objects, or many."""
    if not isinstance(value, ast.Lambda):
        return False
    if isinstance(value.body, ast.Constant):
        return isinstance(value.body.value, bool)
    names = positional_of(value)
    two = len(names) == 2
    if two and names[0] not in names_in(value.body) and names[1] in names_in(value.body):
        return True
    return two and _blind(value.body, (), (names[0], names[1]), value)


def _relates(node: ast.FunctionDef, other: str) -> bool:
    """Tell whether a comparison asks the other object for more than its type, or refuses."""
    if not any(isinstance(n, ast.Return) and n.value for n in ast.walk(node)):
        return True
    types = {
        id(name)
        for n in ast.walk(node)
        if (isinstance(n, ast.Call) and source(n.func) in ("isinstance", "type", "issubclass"))
        or (isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Is | ast.IsNot))
        or (isinstance(n, ast.Attribute) and n.attr == "__class__")
        for name in ast.walk(n)
    }
    refused = all(
        source(n.value) in ("NotImplemented", "False", "self is other", f"{other} is self")
        for n in ast.walk(node)
        if isinstance(n, ast.Return) and n.value
    )
    return refused or any(
        isinstance(n, ast.Name) and n.id == other and id(n) not in types for n in ast.walk(node)
    )


def _never_asks(node: ast.FunctionDef, other: str) -> bool:
    """Tell whether a comparison does not look at the other object, and still says something."""
    used = names_in(node)
    told = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)]
    refused = all(isinstance(v, ast.Constant) or source(v) == "NotImplemented" for v in told if v)
    return other not in used and not refused


def returns_of(
    body: list[ast.stmt], tests: tuple[ast.expr, ...]
) -> Iterator[tuple[ast.expr | None, tuple[ast.expr, ...]]]:
    """Yield what is returned, with the conditions around it."""
    for node in body:
        if isinstance(node, ast.Return):
            yield node.value, tests
        elif isinstance(node, ast.If):
            yield from returns_of(node.body, (*tests, node.test))
            yield from returns_of(node.orelse, (*tests, node.test))
        elif isinstance(node, ast.With | ast.For | ast.While):
            yield from returns_of(node.body, tests)
        elif isinstance(node, ast.Try):
            yield from returns_of([*node.body, *node.orelse, *node.finalbody], tests)
            for handler in node.handlers:
                yield from returns_of(handler.body, tests)


def _blind(
    value: ast.expr | None, tests: tuple[ast.expr, ...], names: tuple[str, str], node: ast.AST
) -> bool:
    """Tell whether a yes hangs on nothing but the other object, or its being of a broad type.

    A comparison with the own class alone is what a value without fields would do.
    """
    own, other = names
    yes = value is not None and _truth(value, node) is True
    if value is None or (_truth(value, node) is not None and not yes):
        return False
    if isinstance(value, ast.Compare) and (_loose(value) or _measures(value)):
        return True
    asked = [*tests] if yes else [*tests, value]
    used = {name for part in asked for name in names_in(part)}
    if own in used or other not in used or used & {"NotImplemented", "super"}:
        return False
    checks = [
        n
        for part in asked
        for n in ast.walk(part)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "isinstance"
    ]
    types = {
        name.id if isinstance(name, ast.Name) else name.attr
        for call in checks
        for given in call.args[1:]
        for name in ast.walk(given)
        if isinstance(name, ast.Name | ast.Attribute)
    }
    return not types if not checks else bool(types & _BROAD)


def _measures(value: ast.Compare) -> bool:
    """Tell whether two objects count as equal by their length, or by how they begin."""
    sides = (value.left, value.comparators[0])
    if len(value.ops) > 1 or not isinstance(value.ops[0], ast.Eq):
        return False
    sized = all(isinstance(s, ast.Call) and source(s.func) == "len" for s in sides)
    cut = all(
        isinstance(s, ast.Subscript)
        and isinstance(s.slice, ast.Slice)
        and isinstance(s.slice.upper, ast.Constant)
        for s in sides
    )
    return sized or cut


def _loose(value: ast.Compare) -> bool:
    """Tell whether two numbers count as equal that are one or more apart."""
    most = value.comparators[0]
    return (
        isinstance(value.ops[0], ast.Lt | ast.LtE)
        and isinstance(value.left, ast.Call)
        and isinstance(value.left.func, ast.Name)
        and value.left.func.id == "abs"
        and isinstance(most, ast.Constant)
        and isinstance(most.value, int | float)
        and most.value >= 1
    )


def _truth(value: ast.expr | None, function: ast.AST, more: int = MOST) -> bool | None:
    """Return the constant that an expression comes to, None if it is not constant."""
    if isinstance(value, ast.Constant):
        return bool(value.value) if isinstance(value.value, bool | int) else None
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        inner = _truth(value.operand, function, more)
        return None if inner is None else not inner
    if isinstance(value, ast.BoolOp):
        parts = [_truth(part, function, more) for part in value.values]
        decided = isinstance(value.op, ast.Or)
        if decided in parts:
            return decided
        return None if None in parts else not decided
    if isinstance(value, ast.Compare) and len(value.comparators) == 1:
        left, right = value.left, value.comparators[0]
        if source(left) == source(right):
            return isinstance(value.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE)
        return None
    if isinstance(value, ast.Name) and more:
        given = values_of({value.id}, function)
        return _truth(given[0], function, more - 1) if len(given) == 1 else None
    return None
