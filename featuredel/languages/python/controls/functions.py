"""The test functions of a file, by the ids of their tests."""

import ast
from collections.abc import Collection, Iterator, Mapping

from featuredel.languages.python.controls.site import yields
from featuredel.languages.python.gold import Function
from featuredel.model import TestId

_FAILING = ("fail", "raises", "expect", "retry", "flaky")
"""Decorators with such a word in them may turn a failure into a success."""


def functions(
    tree: ast.Module, tests: Collection[TestId]
) -> Iterator[tuple[Function, tuple[TestId, ...]]]:
    """Yield the functions of the file that are tests of `tests` and can be changed, with these."""
    found: dict[str, list[TestId]] = {}
    for test in tests:
        found.setdefault(test.partition("::")[2].partition("[")[0], []).append(test)
    for name, own in found.items():
        function = _function(tree.body, name.split("::"))
        if function is not None and not yields(function) and not _may_turn(function):
            yield function, tuple(sorted(own))


def by_file(tests: Collection[TestId]) -> Mapping[str, list[TestId]]:
    """Return tests by the file that they stand in."""
    found: dict[str, list[TestId]] = {}
    for test in sorted(tests):
        found.setdefault(test.partition("::")[0], []).append(test)
    return found


def case_ids(tests: Collection[TestId]) -> frozenset[str]:
    """Return what tests of a function say of their parameters, in brackets."""
    return frozenset(test.partition("[")[2].removesuffix("]") for test in tests if "[" in test)


def _function(body: list[ast.stmt], names: list[str]) -> Function | None:
    """Return what a path of names leads to; None if that is not said, or said twice."""
    kinds = (ast.ClassDef,) if len(names) > 1 else (ast.FunctionDef, ast.AsyncFunctionDef)
    named = [node for node in body if isinstance(node, kinds) and node.name == names[0]]
    if len(named) != 1:
        return None
    node = named[0]
    if isinstance(node, ast.ClassDef):
        return _function(node.body, names[1:])
    return node


def _may_turn(function: Function) -> bool:
    told = [ast.unparse(decorator).partition("(")[0] for decorator in function.decorator_list]
    return any(word in text.lower() for text in told for word in _FAILING)
