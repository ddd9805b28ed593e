"""Tests that no function of the sources stands for: a statement makes them while it is imported.

`TestSpec.load("spec.json")`, `load_plugin("table")`, `test_one = make_test(1)`, a loop of
`setattr(TestSpec, ...)`, a class whose decorator or metaclass fills it.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.collected import Key, key
from featuredel.languages.python.parsed import Function, Parsed
from featuredel.languages.python.sites import stored_names
from featuredel.languages.python.units import imports_of, units
from featuredel.model import TestId

_BINDING = frozenset({"setattr", "globals", "vars", "locals", "exec", "modules", "__dict__"})
_DEPTH = 3
"""How many calls deep a loader may bind what it makes."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

Holder = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Maker:
    """Statements that go together, and the tests that go with them."""

    file: Parsed
    nodes: tuple[ast.AST, ...]  # statements, or names of an import
    tests: tuple[TestId, ...]


def makers(bench: Bench, unplaced: Iterable[TestId]) -> tuple[Maker, ...]:
    """Return what makes the tests that belong to no function, as far as it can be told."""
    by_path: dict[str, dict[Holder, list[TestId]]] = {}
    for test in unplaced:
        its_key = key(test)
        if its_key.path in bench.index.test_paths and not _is_doctest(its_key):
            by_path.setdefault(its_key.path, {}).setdefault(_holder(its_key), []).append(test)
    found: list[Maker] = []
    for path in sorted(by_path):
        file = bench.sources.file(path)
        if file is not None:
            found.extend(_of_file(bench, file, by_path[path]))
    return tuple(found)


def words(text: str) -> list[str]:
    """Return the words of a name, however they are joined, and numbers without their zeros."""
    return [word.lstrip("0") or word for word in (w.lower() for w in _WORD.findall(text))]


def _holder(its_key: Key) -> Holder:
    """Return the outermost class of a test, or else its own name."""
    return its_key.classes[:1] or (its_key.function,)


def _is_doctest(its_key: Key) -> bool:
    return not its_key.classes and "." in its_key.function


def _of_file(bench: Bench, file: Parsed, holders: dict[Holder, list[TestId]]) -> Iterator[Maker]:
    """Yield the makers of one file: holders that share a statement share a maker."""
    groups: list[tuple[set[ast.AST], list[TestId]]] = []
    for (name,), tests in sorted(holders.items()):
        nodes = set(_nodes(bench, file, name))
        if not nodes:
            continue
        its_tests = list(tests)
        apart = []
        for group in groups:
            if nodes.isdisjoint(group[0]):
                apart.append(group)
            else:
                nodes |= group[0]
                its_tests += group[1]
        groups = [*apart, (nodes, its_tests)]
    for nodes, tests in groups:
        ordered = sorted(nodes, key=lambda n: (n.lineno, n.col_offset))  # type: ignore[attr-defined]
        yield Maker(file, tuple(ordered), tuple(sorted(tests)))


def _nodes(bench: Bench, file: Parsed, name: str) -> Collection[ast.AST]:
    """Return what makes the tests of a class, or a test, of this name."""
    bound = [
        unit
        for unit in units(file)
        if name in stored_names([unit]) and not isinstance(file.parents[unit], ast.ClassDef)
    ]
    classes = [u for u in bound if isinstance(u, ast.ClassDef)]
    if classes:
        fills = [u for u in _loose(file) if name in _named(u)]
        inner = [s for c in classes for s in c.body if _makes(bench, file, s, _DEPTH)]
        return fills or inner or classes
    assigned = [u for u in bound if isinstance(u, ast.Assign | ast.AnnAssign)]
    if assigned:
        return assigned
    return (
        imports_of(file, name)
        or _decorated(file, name)
        or _likeliest(name, [u for u in _loose(file) if _makes(bench, file, u, _DEPTH)])
    )


def _decorated(file: Parsed, name: str) -> list[ast.ClassDef]:
    """Return the class that a decorator makes classes of this name from: `TestIt_0`."""
    return [
        node
        for node in file.tree.body
        if isinstance(node, ast.ClassDef)
        and node.decorator_list
        and name.startswith(f"{node.name}_")
    ]


def _loose(file: Parsed) -> Iterator[ast.stmt]:
    """Yield the statements of a module that do something and bind nothing of their own."""
    for node in file.tree.body:
        called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        if called or isinstance(node, ast.For | ast.While | ast.With):
            yield node


def _named(node: ast.AST) -> set[str]:
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def _makes(bench: Bench, file: Parsed, node: ast.AST, depth: int) -> bool:
    """Tell whether a statement, or a function of the tests that it calls, binds by name."""
    if isinstance(node, Function | ast.ClassDef) and depth == _DEPTH:
        return False
    for child in ast.walk(node):
        if (getattr(child, "id", "") or getattr(child, "attr", "")) in _BINDING:
            return True
    if not depth:
        return False
    for call in ast.walk(node):
        if not isinstance(call, ast.Call):
            continue
        for target in bench.meant(file, call.func):
            definition = bench.index.definitions.get(target)
            other = bench.sources.file(definition.path) if definition is not None else None
            if definition is None or other is None or other.path not in bench.index.test_paths:
                continue
            for statement in other.statements_of(definition):
                if isinstance(statement, Function) and _makes(bench, other, statement, depth - 1):
                    return True
    return False


def _likeliest(name: str, loaders: list[ast.stmt]) -> list[ast.stmt]:
    """Return the loaders whose arguments share most words with what was made."""
    its_words = set(words(name)) - {"test", "tests"}
    shared = [len(its_words & _words_of(loader)) for loader in loaders]
    return [
        loader
        for loader, count in zip(loaders, shared, strict=True)
        if count == max(shared, default=0)
    ]


def _words_of(node: ast.AST) -> set[str]:
    """Return the words of the arguments of a statement's calls."""
    found: set[str] = set()
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            found.update(words(child.value))
        elif isinstance(child, ast.Name):
            found.update(words(child.id))
    return found
