"""Results that are written down and given only where a question for something written down holds.

An arm is one comparison and what stands right below it; here all questions on the way to a result
count, whatever they are joined with, and what is left after a branch that ends.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from featuredel.monitor.acts.syntax import Function, given_to, names_in, source
from featuredel.monitor.answers.constants import resolved
from featuredel.monitor.answers.literals import literal, makes

How = Literal["whole", "part", "length"]
MOST = 100
"""Questions on the way to a result that are kept, the last ones; code may ask thousands."""
_PARTS = frozenset({"startswith", "endswith", "match", "fullmatch", "search", "count", "find"})


@dataclass(frozen=True, slots=True)
class Question:
    """What is compared with a literal, and how."""

    of: str  # source of what is asked
    given: ast.expr
    how: How
    holds: bool = True  # False where the branch is the other one


@dataclass(frozen=True, slots=True)
class Guarded:
    """A result behind questions, or none; or one of a function that asks its arguments nothing."""

    node: ast.AST
    asked: tuple[Question, ...]
    result: ast.expr
    heedless: bool = False


def guarded(tree: ast.Module) -> Iterator[Guarded]:
    """Yield the results of a piece of code that are literals, records or items of arguments."""
    tree = resolved(tree)
    for scope in ast.walk(tree):
        if isinstance(scope, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _below(scope.body, (), scope)
        elif isinstance(scope, ast.Lambda):
            yield from _results(ast.Return(scope.body), (), scope)
        if isinstance(scope, ast.FunctionDef) and _heedless(scope):
            returns = [n for n in ast.walk(scope) if isinstance(n, ast.Return) and n.value]
            yield from (
                Guarded(scope, (), n.value, heedless=True)
                for n in returns
                if n.value and fixed(n.value)
            )


def _heedless(function: ast.FunctionDef) -> bool:
    given = given_to(function)
    return bool(given) and not given & names_in(function)


def _below(
    body: Sequence[ast.stmt], asked: tuple[Question, ...], around: ast.AST
) -> Iterator[Guarded]:
    asked = asked[-MOST:]
    given = [
        n.value.value for n in body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Yield)
    ]
    if len(given) > 2 and all(g is not None and fixed(g) for g in given):  # one after the other
        yield Guarded(around, asked, ast.Tuple([g for g in given if g is not None]))
    for node in body:
        if isinstance(node, ast.If):
            own = tuple(questions(node.test))
            own = own[-MOST:]
            others = (*asked, *(replace(q, holds=False) for q in own))
            yield from _below(node.body, (*asked, *own), node)
            yield from _below(node.orelse, others, node)
            if isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue):
                asked = others[-MOST:]
        elif isinstance(node, ast.Match):
            for case in node.cases:
                values = [n.value for n in ast.walk(case.pattern) if isinstance(n, ast.MatchValue)]
                told = (Question(source(node.subject), v, "whole") for v in values if literal(v))
                yield from _below(case.body, (*asked, *told), case.body[0])
        elif not isinstance(node, Function | ast.ClassDef):
            yield from _results(node, asked, around)
            for field in ("body", "orelse", "finalbody", "handlers"):
                for inner_node in getattr(node, field, ()):
                    nested = getattr(inner_node, "body", None)
                    handler = isinstance(inner_node, ast.ExceptHandler)
                    yield from _below(nested if handler and nested else [inner_node], asked, around)


def _results(
    node: ast.stmt, asked: tuple[Question, ...], around: ast.AST
) -> Iterator[Guarded]:  # fmt: skip
    value: ast.expr | None = None
    if isinstance(node, ast.Return) or (asked and isinstance(node, ast.Assign)):
        value = node.value
    elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        listed = [a for a in node.exc.args if isinstance(a, ast.List | ast.Tuple) and fixed(a)]
        yield from (Guarded(node, asked, a) for a in listed)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom):
        value = node.value.value
    while isinstance(value, ast.IfExp):
        own = tuple(questions(value.test))
        if fixed(value.body):
            yield Guarded(node, (*asked, *own), value.body)
        asked = (*asked, *(replace(q, holds=False) for q in own))
        value = value.orelse
    if value is not None and fixed(value):
        yield Guarded(around if asked else node, asked, value)


def questions(test: ast.expr) -> Iterator[Question]:
    """Yield what a condition compares with literals."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = node.left, node.comparators[0]
            if isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.Is):
                sides = ((left, right), (right, left))
                yield from (q for a, b in sides if literal(b) for q in _equal(a, b))
            elif isinstance(node.ops[0], ast.In | ast.NotIn):
                if literal(left) and not literal(right):
                    yield Question(source(right), left, "part")
                elif isinstance(right, ast.Tuple | ast.List | ast.Set) and literal(right):
                    yield from (q for item in right.elts for q in _equal(left, item))
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _PARTS
            and any(map(literal, node.args))
        ):
            yield from (Question(source(node.func), a, "part") for a in node.args if literal(a))


def _equal(left: ast.expr, right: ast.expr) -> Iterator[Question]:
    if isinstance(left, ast.Tuple) and isinstance(right, ast.Tuple):
        for a, b in zip(left.elts, right.elts, strict=False):
            yield Question(source(a), b, "whole")
    elif not literal(left):
        sized = isinstance(left, ast.Call) and source(left.func) == "len"
        yield Question(source(left), right, "length" if sized else "whole")


def fixed(node: ast.AST) -> bool:
    """Tell whether a result is made of literals and records of them, or of items of a name."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return fixed(node.operand)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(map(fixed, node.elts))
    if isinstance(node, ast.Dict):
        return all(k is not None and fixed(k) for k in node.keys) and all(map(fixed, node.values))
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and literal(node.slice)
    if isinstance(node, ast.Call):
        given = [*node.args, *(k.value for k in node.keywords)]
        return bool(given) and makes(node) and all(map(fixed, given))
    return False
