"""Remove what documents tell of dead definitions, where a mention can mean nothing else."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.doc_marks import Marks, read_marks
from featuredel.languages.python.doc_names import DocNames, Spelling
from featuredel.languages.python.doc_page import Page
from featuredel.model import DefinitionId, Index

_SUFFIXES = (".rst", ".md", ".txt")
_MAX_BYTES = 2_000_000
_SKIPPED = frozenset({".git", ".hg", ".tox", ".venv", "node_modules"})


@dataclass(frozen=True)
class Document:
    """A document as it is in the snapshot."""

    path: str
    data: bytes

    @cached_property
    def text(self) -> str | None:
        """What it says, or None if it is not UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError:
            return None

    @cached_property
    def marks(self) -> Marks:
        """What it says of names."""
        return read_marks(self.text or "", markdown=self.is_markdown)

    @property
    def is_markdown(self) -> bool:
        """Whether it is Markdown, not reStructuredText."""
        return self.path.endswith(".md")

    def page(self, names: DocNames) -> Page | None:
        """Return the document ready to be cut, if it may mention anything dead."""
        marks = self.marks
        every = (marks.subjects, marks.directives, marks.members, marks.references, marks.code)
        if self.text is None or not any(map(names.may_mean, every)):
            return None
        lines = self.text.splitlines(keepends=True)
        return Page(lines, names, marks, markdown=self.is_markdown)


class Documents:
    """The documents of a tree, read once, and what they may speak of."""

    def __init__(self, root: Path, index: Index) -> None:
        self.spelling = Spelling(index)
        self.every = tuple(
            Document(path, (root / path).read_bytes()) for path in _documents(root, index)
        )


def documents(bench: Bench) -> Documents:
    """Return the documents of the tree."""
    return Documents(bench.root, bench.index)


def remove_docs(docs: Documents, dead: Collection[DefinitionId]) -> Mapping[str, bytes | None]:
    """Return the edits that take `dead` out of the documents.

    Prose is never rewritten: an entry (directive, list item, table line, section) whose subject
    is dead goes as a whole, any other mention stays.
    """
    names = DocNames(docs.spelling, dead)
    edits: dict[str, bytes | None] = {}
    for document in docs.every:
        page = document.page(names)
        if page is None:
            continue
        page.cut()
        if page.is_empty and "readme" not in document.path.lower():
            edits[document.path] = None
        elif page.dropped or page.replaced:
            edits[document.path] = page.text.encode()
    _unlist(docs, edits)
    return {path: edits[path] for path in sorted(edits)}


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


def _unlist(docs: Documents, edits: dict[str, bytes | None]) -> None:
    """Take removed pages out of the tables of contents that list them."""
    gone = [PurePosixPath(path) for path, content in edits.items() if content is None]
    for document in docs.every if gone else ():
        path = document.path
        if path.endswith(".rst") and edits.get(path, b"") is not None:
            data = edits.get(path) or document.data
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
