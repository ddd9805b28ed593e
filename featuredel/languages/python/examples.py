"""Tests that can be read by themselves, to be shown as examples."""

import ast
import builtins
import copy
import symtable
import unittest
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from featuredel.languages.python.gold import Function, Scope

_EVERYWHERE = frozenset(dir(builtins)) | {"__name__", "__file__"}

_Source = tuple[str, str]
"""A module and what is taken from it: "" for the module itself."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """What a test file binds at its top level."""

    imports: Mapping[str, _Source]  # by the name that is bound
    starred: tuple[_Source, ...]  # they may bind anything
    own: frozenset[str]  # what the file itself defines


def bindings_of(tree: ast.Module, module: str) -> Bindings:
    """Return what a test file binds; `module` is what it is imported as."""
    imports: dict[str, _Source] = {}
    starred: list[_Source] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                imports[bound] = (ast.unparse(alias), "")
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: -node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                if alias.name == "*":
                    starred.append((source, "*"))
                else:
                    imports[alias.asname or alias.name] = (source, ast.unparse(alias))
    own = {
        name
        for node in tree.body
        for name in (
            [node.name]
            if isinstance(node, Scope)
            else [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
        )
    }
    return Bindings(imports, tuple(starred), frozenset(own))


def standing_alone(test: Function, file: Bindings) -> str | None:
    """Return a test's body with the imports that it needs.

    None if it needs more: a fixture, a case of its parameters, a helper in its file.
    """
    needed = _globals_of(test) - _EVERYWHERE
    unknown = needed - file.imports.keys()
    if unknown & file.own or (unknown and not file.starred) or _reads_an_argument(test):
        return None
    sources = {file.imports[name] for name in needed - unknown}
    documented = ast.get_docstring(test) is not None
    body = [ast.unparse(node) for node in test.body[documented:]]
    lines = list(_statements(sources | set(file.starred if unknown else ())))
    return "\n".join([*lines, "", *body] if lines else body)


def _statements(sources: set[_Source]) -> Iterator[str]:
    modules: dict[str, list[str]] = {}
    for module, name in sorted(sources):
        modules.setdefault(module, []).append(name)
    for module, names in modules.items():
        if "" in names:
            yield f"import {module}"
        if taken := ", ".join(name for name in names if name):
            yield f"from {module} import {taken}"


def _globals_of(test: Function) -> frozenset[str]:
    bare = copy.copy(test)
    bare.decorator_list = []
    module = symtable.symtable(ast.unparse(bare), "test", "exec")
    return frozenset(name for table in module.get_children() for name in _globals(table))


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    yield from (symbol.get_name() for symbol in table.get_symbols() if symbol.is_global())
    for inner in table.get_children():
        yield from _globals(inner)


def _reads_an_argument(test: Function) -> bool:
    """Tell whether a test reads an argument, other than for an assertion of `unittest`."""
    arguments = {argument.arg for argument in ast.walk(test.args) if isinstance(argument, ast.arg)}
    asserted = {
        id(node.value)
        for node in ast.walk(test)
        if isinstance(node, ast.Attribute) and hasattr(unittest.TestCase, node.attr)
    }
    return any(
        node.id in arguments and not (node.id == "self" and id(node) in asserted)
        for statement in test.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name)
    )
