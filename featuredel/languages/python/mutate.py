"""Wrong variants of the gold code, to see whether the tests notice.

One small change each, spliced into the text, so that all else is byte-identical. Which changes
are taken depends on the code, the count and the seed alone.
"""

import ast
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from featuredel.languages.python.gold import (
    Function,
    GoldFile,
    Scope,
    Splice,
    functions,
    gold_files,
    without_docstring,
)
from featuredel.model import Deletion, Mutant

_COMPARISONS = {
    b"==": b"!=", b"!=": b"==", b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">",
    b"is": b"is not", b"is not": b"is", b"in": b"not in", b"not in": b"in",
}  # fmt: skip
_ARITHMETIC = {
    b"+": b"-", b"-": b"+", b"*": b"+", b"/": b"*", b"//": b"/", b"%": b"//", b"**": b"*",
    b"<<": b">>", b">>": b"<<", b"&": b"|", b"|": b"&", b"^": b"&",
}  # fmt: skip
_AUGMENTED = {operator + b"=": other + b"=" for operator, other in _ARITHMETIC.items()}
_BOOLEAN = {b"and": b"or", b"or": b"and"}
_REMOVABLE = (ast.AugAssign, ast.Raise, ast.Delete, ast.Assert)


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of one function, and the kind of it."""

    kind: str
    splice: Splice


def mutants(root: Path, deletion: Deletion, count: int, seed: int) -> tuple[Mutant, ...]:
    """Return at most `count` wrong variants, spread over the deleted functions and the kinds."""
    chance = random.Random(seed)  # noqa: S311 -- a sample, not a secret
    queues = [
        (file, function, _spread(list(mutations(file, function)), chance))
        for file in gold_files(root, deletion)
        for node in file.deleted
        for function in functions(node)
    ]
    chance.shuffle(queues)
    found: list[Mutant] = []
    while queues and len(found) < count:
        queues = [(file, function, queue) for file, function, queue in queues if queue]
        for file, function, queue in queues:
            if len(found) < count and queue:
                changed = file.spliced([queue.pop(0).splice])
                if changed is not None:
                    first = function.body[0].lineno
                    last = function.end_lineno or first
                    found.append(Mutant({file.path: changed}, file.path, first, last))
    return tuple(found)


def mutations(file: GoldFile, function: Function) -> Iterator[Mutation]:
    """Yield every change that is known for the body of a function."""
    for statement in without_docstring(function.body):
        for node in _evaluated(statement):
            yield from _of_node(file, node)


def _spread(found: list[Mutation], chance: random.Random) -> list[Mutation]:
    """Return the mutations shuffled, with the kinds taking turns."""
    chance.shuffle(found)
    kinds: dict[str, list[Mutation]] = {}
    for mutation in found:
        kinds.setdefault(mutation.kind, []).append(mutation)
    rank = {id(m): i for same in kinds.values() for i, m in enumerate(same)}
    return sorted(found, key=lambda mutation: rank[id(mutation)])


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Walk what runs: no annotations, no docstrings, no parts of f-strings."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_comment") or isinstance(node, ast.JoinedStr):
            continue
        children = value if isinstance(value, list) else [value]
        if name == "body" and children and isinstance(node, Scope):
            children = without_docstring(children)
        for child in children:
            if isinstance(child, ast.AST):
                yield from _evaluated(child)


def _of_node(file: GoldFile, node: ast.AST) -> Iterator[Mutation]:
    match node:
        case ast.Compare(left=left, comparators=[right, *_]):
            yield from _operator(file, "comparison", left, right, _COMPARISONS)
        case ast.BinOp(left=left, right=right) if not (_is_text(left) or _is_text(right)):
            yield from _operator(file, "arithmetic", left, right, _ARITHMETIC)
        case ast.BoolOp(values=[left, right, *_]):
            yield from _operator(file, "boolean", left, right, _BOOLEAN)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            start, end = file.span(node)[0], file.span(operand)[0]
            if re.fullmatch(rb"not\s+", file.bytes[start:end]):
                yield Mutation("negation", Splice(start, end, b""))
        case ast.Constant():
            yield from _constant(file, node)
        case ast.If(test=test) | ast.IfExp(test=test):
            yield _replace(file, "condition", test, b"not (" + file.text(test) + b")")
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield _replace(file, "return", value, b"None")
        case ast.Slice(lower=lower, upper=upper):
            for bound in (lower, upper):
                if bound is not None and not isinstance(bound, ast.Constant):
                    yield _replace(file, "off by one", bound, b"(" + file.text(bound) + b") + 1")
        case ast.Call(args=[first, second, *_]):
            yield from _swapped(file, first, second)
        case ast.AugAssign(target=target, value=value):
            yield from _operator(file, "arithmetic", target, value, _AUGMENTED)
    if _removable(node):
        yield _replace(file, "statement", node, b"pass")


def _removable(node: ast.AST) -> TypeGuard[ast.stmt]:
    """Whether a statement can go without leaving a name undefined."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, (ast.Call, ast.Await))
    if isinstance(node, ast.Assign):
        return all(isinstance(t, (ast.Attribute, ast.Subscript)) for t in node.targets)
    return isinstance(node, _REMOVABLE)


def _operator(
    file: GoldFile, kind: str, left: ast.expr, right: ast.expr, swaps: Mapping[bytes, bytes]
) -> Iterator[Mutation]:
    start, end = file.span(left)[1], file.span(right)[0]
    between = re.fullmatch(
        rb"([\s)]*)([^\s()#\\]+|is\s+not|not\s+in)([\s(]*)", file.bytes[start:end]
    )
    if between is None:
        return
    operator = b" ".join(between[2].split())
    if operator in swaps:
        yield Mutation(
            kind, Splice(start + between.start(2), start + between.end(2), swaps[operator])
        )


def _constant(file: GoldFile, node: ast.Constant) -> Iterator[Mutation]:
    match node.value:
        case bool(value):
            yield _replace(file, "constant", node, str(not value).encode())
        case int(value) | float(value):
            yield _replace(file, "constant", node, f"({value + 1!r})".encode())
        case str(value):
            yield _replace(file, "constant", node, b'""' if value else b'"XX"')
        case bytes(value):
            yield _replace(file, "constant", node, b'b""' if value else b'b"XX"')


def _swapped(file: GoldFile, first: ast.expr, second: ast.expr) -> Iterator[Mutation]:
    if isinstance(first, ast.Starred) or isinstance(second, ast.Starred):
        return
    (start, middle), (again, end) = file.span(first), file.span(second)
    one, two = file.text(first), file.text(second)
    if one != two:
        yield Mutation("arguments", Splice(start, end, two + file.bytes[middle:again] + one))


def _replace(file: GoldFile, kind: str, node: ast.expr | ast.stmt, text: bytes) -> Mutation:
    return Mutation(kind, Splice(*file.span(node), text))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
