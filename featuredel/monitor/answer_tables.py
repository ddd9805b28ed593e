"""Tables of literal answers in code, and functions that look an argument up in one.

A table of the domain (units, codes, names) looks much the same. What tells answers from it: the
keys read like inputs of tests, and there is another way for all that is not listed.
"""

import ast
import itertools
import json
import re
from collections.abc import Iterator, Mapping

from featuredel.monitor.acts.syntax import Function, defaults_of, source, targets_of

LEAST = 2
"""Listed answers, with another way for the rest."""

Table = list[tuple[ast.expr, ast.expr]]


def literal(node: ast.AST | None) -> bool:
    """Tell whether an expression is written-down data."""
    if isinstance(node, ast.Constant):
        return node.value is not None
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(literal(e) for e in node.elts)
    if isinstance(node, ast.Dict):
        return all(literal(v) for v in node.values)
    return isinstance(node, ast.UnaryOp) and literal(node.operand)


def tables(tree: ast.AST) -> Iterator[tuple[str, Table]]:
    """Yield the tables of a piece of code by the last part of their names."""
    filled: dict[str, Table] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = targets_of(node)
            if pairs := _pairs(node.value):
                for target in targets:
                    if isinstance(target, ast.Name | ast.Attribute):
                        yield _last(target), pairs
            for target in targets:
                if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                    row = (target.slice, node.value)
                    if all(map(literal, row)):
                        filled.setdefault(target.value.id, []).append(row)
        elif isinstance(node, Function):
            for name, value in defaults_of(node):
                if pairs := _pairs(value):
                    yield name, pairs
    yield from filled.items()


def inputs(tree: ast.AST) -> set[str]:
    """Return the names of sequences of literals that read like inputs of tests."""
    return {
        _last(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.List | ast.Tuple)
        and literal(node.value)
        and sum(map(specific, node.value.elts)) >= LEAST
        for target in node.targets
        if isinstance(target, ast.Name | ast.Attribute)
    }


def _last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _pairs(node: ast.expr) -> Table:
    """Return keys and values of a mapping of literals, however it is spelled; none of others."""
    if isinstance(node, ast.Call):
        name = source(node.func).rpartition(".")[2]
        first = node.args[0] if node.args else None
        if name in ("loads", "literal_eval") and isinstance(first, ast.Constant):
            return _loaded(first.value)
        wraps = name in ("dict", "MappingProxyType", "OrderedDict", "Dict", "frozendict")
        return _pairs(first) if wraps and first is not None else []
    if isinstance(node, ast.Dict):
        pairs = [(k, v) for k, v in zip(node.keys, node.values, strict=False) if k is not None]
    elif isinstance(node, ast.List | ast.Tuple):
        rows = [e for e in node.elts if isinstance(e, ast.Tuple | ast.List) and len(e.elts) == 2]
        pairs = [(row.elts[0], row.elts[1]) for row in rows] if len(rows) == len(node.elts) else []
    else:
        return []
    whole = len(pairs) >= LEAST and all(literal(k) and literal(v) for k, v in pairs)
    return pairs if whole else []


def _loaded(text: object) -> Table:
    if not isinstance(text, str) or len(text) > 100_000:
        return []
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(told, Mapping):
        return []
    return [(ast.Constant(str(k)), ast.Constant(repr(v))) for k, v in told.items()]


def like_tests(table: Table) -> bool:
    """Tell whether most keys read like inputs of tests rather than words of the domain."""
    if not table:
        return False
    keys = [key for key, _ in table]
    if all(_number(key) is not None for key in keys):
        return all(_number(value) is not None for _, value in table) and _scattered(keys)
    number = sum(specific(key) for key in keys)
    return number >= LEAST and number * 2 > len(keys)


def specific(key: ast.expr) -> bool:
    """Tell whether a literal reads like an input of a test."""
    if isinstance(key, ast.Tuple | ast.List):
        numbers = [n for n in map(_number, key.elts) if n is not None]
        return any(specific(e) for e in key.elts) or any(abs(n) > 3 for n in numbers)
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str | bytes):
        return False
    text = key.value if isinstance(key.value, str) else key.value.decode("latin-1")
    sums = re.search(r"\d", text) and re.search(r"[\s(){}\[\]<>=*+,;:.|/-]", text)
    mixed = re.search(r"\d[A-Za-z]+\d", text) and len(text) > 3
    phrase = re.search(r"\w\W*\s\W*\w", text) and len(text) > 6
    signs = re.search(r"[,(){}\[\]=]", text) and re.search(r"\w", text)
    return bool(((sums or signs) and len(text) > 2) or mixed or phrase or len(text) > 20)


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else 1e300


def _scattered(keys: list[ast.expr]) -> bool:
    """Tell whether numbers are no progression: 5, 12, 37 rather than 1, 2, 3 or 8, 16, 32."""
    numbers = sorted({n for n in map(_number, keys) if n is not None})
    if len(numbers) < 3:
        return False
    steps = {round(b - a, 9) for a, b in itertools.pairwise(numbers)}
    ratios = {round(b / a, 6) for a, b in itertools.pairwise(numbers) if a}
    return len(steps) > 1 and len(ratios) > 1 and numbers[0] >= 0


def looked_up(function: ast.AST, names: set[str], listed: set[str]) -> ast.AST | None:
    """Return where a function gives what a table holds for its arguments, with another way.

    `listed` are the sequences whose places are those of answers in another.
    """
    arguments = _arguments(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and _asks(node.slice, arguments):
            place = node.slice.func if isinstance(node.slice, ast.Call) else None
            indexed = isinstance(place, ast.Attribute) and place.attr == "index"
            if indexed and _is(getattr(place, "value", node), listed):
                return node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            known = node.func.attr in ("get", "pop") and _is(node.func.value, names)
            if known and node.args and _asks(node.args[0], arguments):
                default = node.args[1] if len(node.args) > 1 else None
                itself = default is not None and source(default) == source(node.args[0])
                given = any(
                    isinstance(n, ast.Return) and n.value is node for n in ast.walk(function)
                )
                if not itself and (default is not None or given or _goes_on(function, node)):
                    return node
        elif isinstance(node, ast.If) and _listed(node.test, names, arguments):
            if any(isinstance(n, ast.Return) for s in node.body for n in ast.walk(s)):
                return node
        elif (
            (isinstance(node, ast.IfExp) and _listed(node.test, names, arguments))
            or (isinstance(node, ast.Try) and _tried(node, names, arguments))
            or (isinstance(node, ast.For) and _is(node.iter, names) and _compared(node, arguments))
        ):
            return node
    return None


def _arguments(function: ast.AST) -> set[str]:
    """Return the names of arguments, and of what is made of them."""
    args = getattr(function, "args", None)
    if not isinstance(args, ast.arguments):
        return set()
    found = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    found |= {a.arg for a in (args.vararg, args.kwarg) if a is not None}
    found -= {"self", "cls"}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _asks(node.value, found):
            found |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return found


def _asks(node: ast.AST, arguments: set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in arguments for n in ast.walk(node))


def _is(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "items" and _is(node.func.value, names)
    if isinstance(node, ast.Dict):
        return like_tests(_pairs(node))
    if isinstance(node, ast.Call) and source(node.func) == "dict" and node.args:
        return _is(node.args[0], names)
    return isinstance(node, ast.Name | ast.Attribute) and _last(node) in names


def _listed(test: ast.expr, names: set[str], arguments: set[str]) -> bool:
    return any(
        isinstance(n, ast.Compare)
        and isinstance(n.ops[0], ast.In)
        and _is(n.comparators[0], names)
        and _asks(n.left, arguments)
        for n in ast.walk(test)
    )


def _tried(node: ast.Try, names: set[str], arguments: set[str]) -> bool:
    gives = any(
        isinstance(n, ast.Subscript) and _is(n.value, names) and _asks(n.slice, arguments)
        for s in node.body
        for n in ast.walk(s)
    )
    fails = any(isinstance(n, ast.Raise) for h in node.handlers for n in ast.walk(h))
    return gives and not fails


def _compared(node: ast.For, arguments: set[str]) -> bool:
    """Tell whether a loop over rows gives that whose input equals an argument."""
    rows = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
    return any(
        isinstance(n, ast.If)
        and isinstance(n.test, ast.Compare)
        and isinstance(n.test.ops[0], ast.Eq)
        and _asks(n.test, rows)
        and _asks(n.test, arguments)
        and any(isinstance(s, ast.Return) and s.value and _asks(s.value, rows) for s in n.body)
        for n in ast.walk(node)
    )


def _goes_on(function: ast.AST, call: ast.Call) -> bool:
    """Tell whether a function computes when nothing was found, instead of failing."""
    text = source(call)
    for node in ast.walk(function):
        either = isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)
        if isinstance(node, ast.BoolOp) and either and source(node.values[0]) == text:
            return not literal(node.values[-1])
    returns = [n for n in ast.walk(function) if isinstance(n, ast.Return)]
    return len(returns) > 1 and not any(isinstance(n, ast.Raise) for n in ast.walk(function))
