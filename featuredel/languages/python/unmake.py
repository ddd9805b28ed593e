"""Hide tests that are made while their module is imported: their cases, or what makes them."""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from featuredel.languages.python import datacases
from featuredel.languages.python.collected import key
from featuredel.languages.python.made import Maker, makers
from featuredel.languages.python.parsed import Parsed
from featuredel.languages.python.units import inside
from featuredel.languages.python.visible import Visible
from featuredel.languages.python.words import strings
from featuredel.model import TestId


def hide_made(visible: Visible) -> dict[str, bytes]:
    """Hide the made tests of T; return the data files that lose cases.

    Where the cases lie in a file that names them, those go. Else the statement goes, and all
    its tests are hidden, as with a parametrised test whose cases cannot be told apart.
    """
    every = makers(visible.bench, visible.items.unplaced)
    edits: dict[str, bytes] = {}
    for path, users in _data(visible, every):
        if any(_is_split(visible, maker) for maker in users):
            content = _trim(visible, path, users)
            if content is not None:
                edits[path] = content
    for maker in every:
        trimmed = any(PurePosixPath(path).name in _told_by(maker) for path in edits)
        if visible.hidden.issuperset(maker.tests) or (
            not trimmed and not visible.hidden.isdisjoint(maker.tests)
        ):
            _unmake(visible, maker)
    return edits


def _is_split(visible: Visible, maker: Maker) -> bool:
    """Tell whether some of a maker's tests are in T and some are not."""
    gone = sum(test in visible.hidden for test in maker.tests)
    return 0 < gone < len(maker.tests)


def _unmake(visible: Visible, maker: Maker) -> None:
    for node in maker.nodes:
        if isinstance(node, ast.ClassDef) and visible.used(maker.file, node):
            return
    for node in maker.nodes:
        if isinstance(node, ast.ClassDef):
            _hide_own(visible, maker.file, node)
        visible.cut(maker.file, "alias" if isinstance(node, ast.alias) else "statement", node)
    visible.hidden.update(maker.tests)


def _hide_own(visible: Visible, file: Parsed, holder: ast.ClassDef) -> None:
    """Count the tests that a class has of its own as hidden."""
    for item in visible.items.held(file):
        if inside(file, item.node, holder):
            visible.hidden.update(item.tests)


# --- cases that lie in data ----------------------------------------------------------------


def _data(visible: Visible, every: tuple[Maker, ...]) -> Iterator[tuple[str, list[Maker]]]:
    """Yield the JSON files that makers name, with all the makers that name them."""
    told: dict[str, list[Maker]] = {}
    for maker in every:
        for name in sorted(_told_by(maker)):
            told.setdefault(name, []).append(maker)
    for name, users in sorted(told.items()):
        paths = _files(visible, name)
        if len(paths) == 1:
            yield paths.pop(), users


def _told_by(maker: Maker) -> set[str]:
    return {
        PurePosixPath(text).name
        for node in maker.nodes
        for text in strings(node)
        if text.endswith(".json")
    }


def _files(visible: Visible, name: str) -> set[str]:
    """Return the files of this name beside the tests."""
    root = visible.bench.root
    folders = {PurePosixPath(path).parent for path in visible.bench.index.test_paths}
    return {
        found.relative_to(root).as_posix()
        for folder in folders
        if str(folder) != "."
        for found in (root / folder).rglob(name)
        if found.is_file() and not found.is_symlink()
    }


def _trim(visible: Visible, path: str, users: list[Maker]) -> bytes | None:
    """Take the cases of T out of a file and hide what runs them; None if that cannot be."""
    cases = datacases.read((visible.bench.root / path).read_bytes())
    if cases is None:
        return None
    rows: dict[TestId, int] = {}
    for maker in users:
        found = datacases.named(cases, {key(test).function for test in maker.tests})
        if found is None:
            return None
        rows.update({test: found[key(test).function] for test in maker.tests})
    gone = {row for test, row in rows.items() if test in visible.hidden}
    if len(gone) == len(cases.spans):
        return None
    visible.hidden.update(test for test, row in rows.items() if row in gone)
    return cases.without(gone)
