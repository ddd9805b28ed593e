"""Remove what documents tell of dead definitions, where a mention can mean nothing else."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from featuredel.languages.python.doc_names import DocNames
from featuredel.languages.python.doc_page import Page
from featuredel.model import DefinitionId, Index

_SUFFIXES = (".rst", ".md", ".txt")
_MAX_BYTES = 2_000_000
_SKIPPED = frozenset({".git", ".hg", ".tox", ".venv", "node_modules"})


@dataclass(frozen=True, slots=True)
class Leftover:
    """A line that still names something dead, because it could not be cut cleanly."""

    path: str
    line: int  # in the snapshot
    text: str


@dataclass(frozen=True, slots=True)
class DocSide:
    """What becomes of the documents of a deletion."""

    edits: Mapping[str, bytes | None]
    leftovers: tuple[Leftover, ...]


def remove_docs(root: Path, index: Index, dead: Collection[DefinitionId]) -> DocSide:
    """Return the edits that take `dead` out of the tree's documents.

    Prose is never rewritten: an entry (directive, list item, table line, section) whose subject
    is dead goes as a whole, any other mention stays and is told as left over.
    """
    names = DocNames(index, frozenset(dead))
    edits: dict[str, bytes | None] = {}
    leftovers: list[Leftover] = []
    for path in _documents(root, index):
        page = _page(root / path, names)
        if page is None:
            continue
        page.cut()
        if page.is_empty and "readme" not in path.lower():
            edits[path] = None
            continue
        if page.dropped or page.replaced:
            edits[path] = page.text.encode()
        leftovers += (Leftover(path, line, text) for line, text in page.leftovers())
    _unlist(root, index, edits)
    return DocSide({path: edits[path] for path in sorted(edits)}, tuple(leftovers))


def _documents(root: Path, index: Index) -> Iterator[str]:
    """Yield the documents of the tree; what lies beside tests is their data."""
    beside = {str(PurePosixPath(path).parent) for path in index.test_paths} - {"."}
    for folder, files in _walk(root):
        here = folder.relative_to(root)
        if any(str(at) in beside for at in (here, *here.parents)):
            continue
        for name in (name for name in files if name.endswith(_SUFFIXES)):
            file = folder / name
            if not file.is_symlink() and file.stat().st_size <= _MAX_BYTES:
                yield (here / name).as_posix()


def _walk(root: Path) -> Iterator[tuple[Path, list[str]]]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        yield Path(folder), sorted(files)


def _page(file: Path, names: DocNames) -> Page | None:
    """Return the document if it may mention anything dead."""
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    if not names.may_mention(text):
        return None
    return Page(text.splitlines(keepends=True), names, markdown=file.suffix == ".md")


def _unlist(root: Path, index: Index, edits: dict[str, bytes | None]) -> None:
    """Take removed pages out of the tables of contents that list them."""
    gone = [PurePosixPath(path) for path, content in edits.items() if content is None]
    if not gone:
        return
    for path in _documents(root, index):
        if path.endswith(".rst") and edits.get(path, b"") is not None:
            data = edits.get(path) or (root / path).read_bytes()
            folder = PurePosixPath(path).parent
            after = _without_entries(data, [g for g in gone if g.is_relative_to(folder)], folder)
            if after != data:
                edits[path] = after


def _without_entries(data: bytes, gone: list[PurePosixPath], folder: PurePosixPath) -> bytes:
    entries = [str(page.relative_to(folder).with_suffix("")).encode() for page in gone]
    kept: list[bytes] = []
    inside: int | None = None
    for line in data.splitlines(keepends=True):
        indent = len(line) - len(line.lstrip())
        if line.lstrip().startswith(b".. toctree::"):
            inside = indent
        elif inside is not None and line.strip() and indent <= inside:
            inside = None
        if inside is not None and any(_lists(line, entry) for entry in entries):
            continue
        kept.append(line)
    return b"".join(kept)


def _lists(line: bytes, entry: bytes) -> bool:
    return bool(re.fullmatch(rb"(?:.*<)?" + re.escape(entry) + rb"(?:\.rst|\.md)?>?", line.strip()))
