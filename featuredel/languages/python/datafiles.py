"""Data files that only removed tests named."""

import ast
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.words import strings

_MAX_BYTES = 500_000


def unused_data(
    bench: Bench, edits: Mapping[str, bytes | None], gone: Mapping[str, set[ast.AST]]
) -> tuple[str, ...]:
    """Return the files beside the tests whose name only cut code tells.

    Folders that are searched by pattern say no name, so their files stay.
    """
    named = _names(bench, edits, gone)
    if not named:
        return ()
    folders = {str(PurePosixPath(path).parent) for path in bench.index.test_paths}
    files = [path for folder in sorted(folders) for path in _below(bench.root, folder)]
    wanted = {p for p in files if PurePosixPath(p).name in named and p not in edits}
    if not wanted:
        return ()
    kept = _retained(bench.root, edits)
    return tuple(sorted(p for p in wanted if PurePosixPath(p).name.encode() not in kept))


def _names(
    bench: Bench, edits: Mapping[str, bytes | None], gone: Mapping[str, set[ast.AST]]
) -> set[str]:
    """Return what may be file names in the strings that are cut."""
    found: set[str] = set()
    for path, content in edits.items():
        file = bench.sources.file(path)
        if file is None:
            continue
        nodes = [file.tree] if content is None else gone.get(path, ())
        for text in (text for node in nodes for text in strings(node)):
            name = text.rpartition("/")[2]
            if "." in name and len(name) < 100 and " " not in name and "\n" not in name:
                found.add(name)
    return found


def _below(root: Path, folder: str) -> list[str]:
    """Return the data files in a folder of tests."""
    if folder == ".":
        return []
    return [
        path.relative_to(root).as_posix()
        for path in sorted((root / folder).rglob("*"))
        if path.is_file() and path.suffix not in (".py", ".pyi", ".pyc")
    ]


def _retained(root: Path, edits: Mapping[str, bytes | None]) -> bytes:
    """Return all text of the visible tree in which a file could be named."""
    parts: list[bytes] = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name in edits:
            parts.append(edits[name] or b"")
        elif path.is_file() and path.stat().st_size < _MAX_BYTES:
            parts.append(path.read_bytes())  # a list of files may have any name
    return b"\n".join(parts)
