"""What modules hold once they are imported, with a feature and without; which lines read of it.

A registry, a table, a counter: they have names, and who reads them names them, wherever he stands.
"""

import ast
import dataclasses
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from featuredel import trees
from featuredel.languages.python import runner
from featuredel.languages.python.gold import Function
from featuredel.languages.python.imports import loadable, modules
from featuredel.languages.python.layout import test_paths
from featuredel.languages.python.source import parse
from featuredel.model import Environment, TestRequest
from featuredel.sandbox import ENVIRONMENT, Command

Held = Mapping[str, tuple[str, str]]
"""By its path from a module: the names of what is there, with spaces, and a digest of it."""


def held_command(
    root: Path, environment: Environment, layers: tuple[Path, ...], paths: Collection[str]
) -> Command:
    """Return the command that imports source files and tells what they hold then."""
    base = runner.test_command(environment, layers, TestRequest(ids=()))
    return dataclasses.replace(
        base,
        argv=(f"{ENVIRONMENT}/bin/python", "-m", "featuredel_probe.held"),
        stdin=json.dumps(modules(root, loadable(root, paths))).encode(),
    )


def readers(root: Path, before: bytes, after: bytes) -> Mapping[str, frozenset[int]] | None:
    """Return the lines of what names something that is held otherwise, by their paths.

    `before` and `after` are the reports of two such commands; None where one tells nothing.
    """
    old, new = _held(before), _held(after)
    return None if old is None or new is None else _readers(root, differing(old, new))


def differing(old: Held, new: Held) -> frozenset[str]:
    """Return the names of what is not the same.

    What has gone went with what it belonged to, and what was only reached by another path before
    is no news.
    """
    moved = {told for path, told in old.items() if path not in new}
    changed = {
        told
        for path, told in new.items()
        if old.get(path) != told and (path in old or told not in moved)
    }
    return frozenset(name for names, _ in changed for name in names.split())


@lru_cache(maxsize=2)
def _held(report: bytes) -> Held | None:
    try:
        return {path: (str(names), str(digest)) for path, names, digest in json.loads(report)}
    except (ValueError, TypeError):
        return None


def _readers(root: Path, names: frozenset[str]) -> Mapping[str, frozenset[int]]:
    if not names:
        return {}
    words = b"|".join(re.escape(name.encode()) for name in sorted(names))
    search = re.compile(rb"\b(?:%s)\b" % words).search
    texts = {path: text for path, text in _texts(root).items() if search(text)}
    tests = test_paths(_texts(root))
    found = {
        path: frozenset(_lines(_parsed(text), names, path in tests)) for path, text in texts.items()
    }
    return {path: lines for path, lines in found.items() if lines}


@lru_cache(maxsize=2)
def _texts(root: Path) -> Mapping[str, bytes]:
    return {path: trees.read(root, path) for path in trees.files(root) if path.endswith(".py")}


@lru_cache(maxsize=256)
def _parsed(text: bytes) -> ast.Module:
    return parse(text) or ast.Module([], [])


def _lines(node: ast.Module | ast.ClassDef, names: frozenset[str], is_test: bool) -> Iterator[int]:
    """Yield the lines of functions that name something; of all in a test file whose top does."""
    for part in node.body:
        if isinstance(part, ast.ClassDef) and not _name(part.decorator_list, names):
            yield from _lines(part, names, is_test)
        elif isinstance(part, Function | ast.ClassDef):
            if _name([part], names):
                yield from range(part.lineno, (part.end_lineno or part.lineno) + 1)
        elif is_test and not isinstance(part, ast.Import | ast.ImportFrom) and _name([part], names):
            yield from range(1, (node.body[-1].end_lineno or 0) + 1)


def _name(nodes: Iterable[ast.AST], names: frozenset[str]) -> bool:
    return any(not names.isdisjoint(_named(part)) for node in nodes for part in ast.walk(node))


def _named(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return (name,)
        case ast.Constant(value=str(text)):
            return (text,)  # as `getattr` and `monkeypatch` take it
    return ()
