"""Arms of code that give something written down for an input that is written down."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from featuredel.monitor.acts.syntax import Function, given_to, names_in, source
from featuredel.monitor.answers.literals import fixed, literal, text_of
from featuredel.monitor.answers.tables import last_name

LONG = 16
"""Characters of a named text that may be an input."""

Named = Mapping[str, list[ast.expr]]

_MATCHERS = frozenset({"match", "fullmatch", "search", "fnmatch"})


@dataclass(frozen=True, slots=True)
class Arm:
    """A place where code asks for a literal and answers."""

    node: ast.AST
    given: tuple[ast.expr, ...]  # what the input is compared with
    part: bool  # with a part of the input: its start, its end, something in it
    results: tuple[ast.expr, ...]  # what is given for it; none where it is refused, or skipped
    asked: ast.expr  # the condition; for a case the pattern's value


def arms(tree: ast.AST, named: Named | None = None) -> Iterator[Arm]:
    """Yield the arms of a piece of code; `named` are the literals of the code around it."""
    sets = named_in(tree) if named is None else named
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            given, part = _asked(node.test, sets)
            if given and (results := _answer(node.body)) is not None:
                yield Arm(node, given, part, results, node.test)
        elif isinstance(node, ast.IfExp) and fixed(node.body):
            given, part = _asked(node.test, sets)
            if given:
                yield Arm(node, given, part, (node.body,), node.test)
        elif isinstance(node, ast.match_case):
            given = tuple(n.value for n in ast.walk(node.pattern) if isinstance(n, ast.MatchValue))
            if given and (results := _answer(node.body)) is not None:
                yield Arm(node.body[0], given, False, results, given[0])
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Compare | ast.BoolOp):
            given, part = _asked(node.value, sets)
            if len(given) > 1 and not part:
                yield Arm(node, given, part, (), node.value)
        elif isinstance(node, ast.Lambda) and isinstance(node.body, ast.Compare):
            given, part = _asked(node.body, sets)
            if len(given) > 1 and not part:
                yield Arm(node, given, part, (), node.body)


def named_in(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Return the named collections of literals, and long texts, by name."""
    return {
        last_name(target): items
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and (items := _items(node.value) or _long(node.value))
        for target in node.targets
        if isinstance(target, ast.Name | ast.Attribute)
    }


def _items(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Call) and source(node.func) in ("set", "frozenset", "tuple", "list"):
        return _items(node.args[0]) if node.args else []
    listed = isinstance(node, ast.List | ast.Tuple | ast.Set) and literal(node)
    return node.elts if listed and isinstance(node, ast.List | ast.Tuple | ast.Set) else []


def _asked(test: ast.expr, sets: Named) -> tuple[tuple[ast.expr, ...], bool]:
    """Return the literals that a condition compares with, and whether with parts alone."""
    whole: list[ast.expr] = []
    parts: list[ast.expr] = []
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            right = node.comparators[0]
            if isinstance(node.ops[0], ast.Eq | ast.Is):
                sides = (node.left, right)
                whole += [s for s in sides if literal(s) or _frozen(s) or _record(s)]
                if isinstance(right, ast.Name | ast.Attribute):
                    whole += [t for t in sets.get(last_name(right), []) if _long(t)]
            elif isinstance(node.ops[0], ast.In):
                named = isinstance(right, ast.Name | ast.Attribute)
                if named and (items := sets.get(last_name(right), [])):  # type: ignore[arg-type]
                    whole += items
                elif literal(right) and isinstance(right, ast.List | ast.Tuple | ast.Set):
                    whole += right.elts
                elif literal(node.left) and not literal(right):
                    parts.append(node.left)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("startswith", "endswith", "__eq__", *_MATCHERS)
        ):
            parts += [given for given in node.args[:1] if literal(given)]
    return tuple(whole or parts), not whole


def _long(node: ast.expr) -> list[ast.expr]:
    return [node] if len(text_of(node) or "") > LONG else []


def _record(node: ast.expr) -> bool:
    """Tell whether an input is made of several literals: `datetime(2024, 2, 28, 23, 59)`."""
    return isinstance(node, ast.Call) and len(node.args) > 2 and fixed(node)


def _frozen(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and bool(_items(node))


def _answer(body: list[ast.stmt]) -> tuple[ast.expr, ...] | None:
    """Return what an arm gives; None if it computes."""
    if len(body) > 2:
        return None
    results: list[ast.expr] = []
    for at, node in enumerate(body):
        last = at == len(body) - 1
        if isinstance(node, ast.Raise) and last:
            return tuple(results)
        if isinstance(node, ast.Return) and (last or not results):
            if node.value is None or _nothing(node.value):
                continue
            if not fixed(node.value):
                return None
            results.append(node.value)
        elif isinstance(node, ast.Assign) and fixed(node.value):
            results.append(node.value)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom):
            if node.value.value is None or not fixed(node.value.value):
                return None
            results.append(node.value.value)
        else:
            return None
    return tuple(results)


def _nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


@dataclass(frozen=True, slots=True)
class Recital:
    """A function that gives nothing but literals, or several."""

    function: ast.FunctionDef | ast.AsyncFunctionDef
    results: tuple[ast.expr, ...]
    heedless: bool  # it has arguments and asks none of them
    whole: bool  # it gives nothing else


def recitals(tree: ast.AST) -> Iterator[Recital]:
    """Yield the functions, with arguments, that give literals alone, or two and more of them."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        given = given_to(node)
        results = _results(node)
        told = tuple(result for result in results if literal(result))
        if given and told and (len(told) == len(results) or len(told) > 1):
            yield Recital(node, told, not given & names_in(node), len(told) == len(results))


def _results(function: ast.AST) -> list[ast.expr]:
    """Return what a function returns and yields, without functions in it."""
    found: list[ast.expr] = []
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function | ast.ClassDef):
            continue
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
            found.append(node.value)
        waiting += ast.iter_child_nodes(node)
    return found[::-1]
