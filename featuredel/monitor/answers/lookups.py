"""Functions that look an argument up in a table of answers, with another way for the rest."""

import ast
import re
from collections.abc import Mapping

from featuredel.monitor.acts.syntax import given_to, names_in, source
from featuredel.monitor.answers.literals import literal, number, odd, scattered, text_of
from featuredel.monitor.answers.tables import (
    Table,
    indexed,
    last_name,
    like_tests,
    lists_of,
    pairs_of,
    pairs_of_words,
    tables,
)

ODD = 99
"""Above it a number is hardly a size or a count that code has a table for."""
_SAME = frozenset({"items", "strip", "splitlines", "copy", "split"})


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
                itself = isinstance(default, ast.Name) and _asks(node.args[0], {default.id})
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
            or (
                isinstance(node, ast.comprehension)
                and _is(node.iter, names)
                and any(isinstance(c, ast.Compare) and _asks(c, arguments) for c in node.ifs)
            )
        ):
            return node
    return None


def scopes(tree: ast.Module) -> list[ast.AST]:
    """Return the functions of a piece of code, or itself where it is a piece of one."""
    found: list[ast.AST] = [
        n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return found or [tree]


def asks_for_odd(tree: ast.Module) -> ast.AST | None:
    """Return where an argument is looked up in a table whose keys no domain has."""
    named, lists = dict(tables(tree)), lists_of(tree)
    for scope in (*scopes(tree), *(n for n in ast.walk(tree) if isinstance(n, ast.Lambda))):
        arguments = _arguments(scope)
        for node in ast.walk(scope):
            if isinstance(node, ast.Attribute) and _handed_over(node):
                return node
            table, key = lookup(node, named)
            if isinstance(node, ast.Subscript) and not table:
                table, key = indexed(node, lists), node.slice
            keys = [k for k, _ in table]
            inline = isinstance(key, ast.Tuple) and pairs_of_words(table) and _inline(node)
            odd_keys = _mostly_odd(keys) or _large(table) or inline
            if key is not None and _asks(key, arguments) and odd_keys:
                return node
    return None


def _inline(node: ast.AST) -> bool:
    """Tell whether a table is written where something is looked up in it."""
    holder = node.func if isinstance(node, ast.Call) else node
    return isinstance(getattr(holder, "value", None), ast.Dict)


def _handed_over(node: ast.Attribute) -> bool:
    """Tell whether a table of numbers is given where a function is wanted: `{1: "one"}.get`."""
    keys = [key for key, _ in pairs_of(node.value)] if isinstance(node.value, ast.Dict) else []
    numbers = [n for n in map(number, keys) if n is not None]
    return len(numbers) > 2 and len(numbers) == len(keys) and scattered(keys)


def _mostly_odd(keys: list[ast.expr]) -> bool:
    found = sum(odd(key) or _made(key) for key in keys)
    digits = all(re.search(r"\d", text_of(key) or "") for key in keys)
    return found * 2 > len(keys) or (found * 2 == len(keys) and found > 0 and digits)


def _made(key: ast.expr) -> bool:
    """Tell whether a key is a record of several values, or a whole input: `((1, 2), (3, 4))`."""
    if isinstance(key, ast.Tuple) or (
        isinstance(key, ast.Call) and source(key.func) == "frozenset"
    ):
        return any(isinstance(n, ast.Tuple | ast.List) for n in ast.walk(key) if n is not key)
    return isinstance(key, ast.Call) and len([n for n in key.args if literal(n)]) > 1


def _large(table: Table) -> bool:
    """Tell whether whole numbers stand for others, without any order, beyond codes and sizes."""
    cells = [number(cell) for row in table for cell in row]
    whole = all(n is not None and n == int(n) for n in cells)
    keys = [key for key, _ in table]
    return bool(cells) and whole and scattered(keys) and max(number(k) or 0 for k in keys) > ODD


def lookup(node: ast.AST, named: Mapping[str, Table]) -> tuple[Table, ast.expr | None]:
    """Return the table that a node looks something up in, and what it looks up."""
    holder, key = None, None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        holder, key = node.value, node.slice
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("get", "pop", "setdefault")
        and node.args
    ):
        holder, key = node.func.value, node.args[0]
    if holder is None:
        return [], None
    if isinstance(holder, ast.Name | ast.Attribute):
        return named.get(last_name(holder), []), key
    return pairs_of(holder), key


def _arguments(function: ast.AST) -> set[str]:
    """Return the names of arguments, and of what is made of them."""
    if isinstance(function, ast.Module):  # a piece of a function
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
        kept = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        return {n.id for n in names} - kept
    found = given_to(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _asks(node.value, found):
            found |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return found


def _asks(node: ast.AST, arguments: set[str]) -> bool:
    return not names_in(node).isdisjoint(arguments)


def _is(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _SAME and _is(node.func.value, names)
    if isinstance(node, ast.Dict):
        return like_tests(pairs_of(node))
    if isinstance(node, ast.Call) and source(node.func) == "dict" and node.args:
        return _is(node.args[0], names)
    return isinstance(node, ast.Name | ast.Attribute) and last_name(node) in names


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
    """Tell whether a loop over rows gives that whose input equals an argument, or matches it."""
    rows = names_in(node.target)
    for inner in ast.walk(node):  # given, _, answer = row.partition(" => ")
        if isinstance(inner, ast.Assign) and _asks(inner.value, rows):
            rows |= {name for target in inner.targets for name in names_in(target)}
    return any(
        isinstance(n, ast.If)
        and (
            (isinstance(n.test, ast.Compare) and isinstance(n.test.ops[0], ast.Eq))
            or (isinstance(n.test, ast.Call) and "match" in source(n.test.func))
        )
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


def sole_tables(tree: ast.AST) -> set[str]:
    """Return the tables besides which a function knows nothing: the rest gets a literal or itself.

    "" stands for a table without a name.
    """
    found: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        body = [s for s in node.body if not isinstance(s, ast.Expr)]
        returns = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value]
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
        plain = all(isinstance(c.func, ast.Attribute) and c.func.attr in _PLAIN for c in calls)
        if len(body) > 3 or not returns or not plain or any(map(_fails, body)):
            continue
        attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
        found |= names_in(node) | attributes | {""}
    return found


_PLAIN = frozenset({"get", "strip", "lower", "upper", "items", "index", "casefold"})


def _fails(node: ast.stmt) -> bool:
    return any(isinstance(n, ast.Raise) for n in ast.walk(node))
