"""What a reader of a format gives: views, and what it could not look into."""

import io
import mmap
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from featuredel.leaks.bounds import Budget

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Content = bytes | mmap.mmap
"""Bytes in memory, or a file mapped into it: both are sliced, searched and measured alike."""

HEAD_BYTES = 4096
SPOOL_BYTES = 32 << 20
"""What is unpacked and larger lies in a file without a name, and is mapped."""

STEP_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class View:
    """One way to see (a part of) a file."""

    name: str
    """Of the view: raw, names, zip, marshal."""

    where: str
    """The file, then what lies in it: `a.whl!b/c.pyc!consts`."""

    content: Content

    deeper: bool = True
    """Whether it may itself be of a format; what a reader has spelled out is not."""

    file: Path | None = None
    """Of a file as it lies on disk, its path, for formats that keep a part beside it."""

    def part(self, name: str, label: str, content: Content, *, deeper: bool = True) -> "View":
        """Return the view of a part of this one."""
        return View(name, f"{self.where}!{label}", content, deeper)


@dataclass(frozen=True, slots=True)
class Unseen:
    """A part that cannot be looked into, and why: encrypted, damaged, of an unknown method."""

    where: str
    detail: str


class Damaged(Exception):  # noqa: N818 -- says what the content is, not what failed here
    """The content is not of the format after all, or only its beginning."""


class Format(Protocol):
    """Reads one format; a module of this package with these names is one."""

    @property
    def name(self) -> str:
        """Of the views it gives."""

    @property
    def claims(self) -> bool:
        """Whether content that it read to the end needs no other explanation."""

    def applies(self, head: bytes, path: str) -> bool:
        """Return whether content that begins with `head` (4 KiB) may be of the format.

        `path` is the `where` of the content; a name is a hint, since anything can be renamed.
        """

    def views(self, view: View, budget: Budget) -> Iterator[View | Unseen]:
        """Yield the parts; raises `Damaged`, or `Exceeded` of the budget, after what it got."""


def head(content: Content) -> bytes:
    """Return the beginning of some content."""
    return content[:HEAD_BYTES]


def is_text(content: Content) -> bool:
    """Return whether there is neither a NUL nor anything but UTF-8 at the beginning."""
    sample = content[: 16 * HEAD_BYTES]
    if b"\0" in sample:
        return False
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(sample) - 3  # cut within a letter
    return True


def reader(content: Content) -> BinaryIO:
    """Return the content as a file; several of them do not disturb each other."""
    if isinstance(content, bytes):
        return io.BytesIO(content)
    return io.BufferedReader(_Slices(content), STEP_BYTES)


def collect(chunks: Iterable[bytes], budget: Budget) -> Content:
    """Return the chunks as one, on disk if there is much of it; each is counted."""
    spool = tempfile.SpooledTemporaryFile(SPOOL_BYTES)  # noqa: SIM115 -- the mapping outlives it
    with spool:
        size = 0
        for chunk in chunks:
            budget.spend(len(chunk))
            spool.write(chunk)
            size += len(chunk)
        if size <= SPOOL_BYTES:
            spool.seek(0)
            return spool.read()
        spool.flush()
        return mmap.mmap(spool.fileno(), 0, access=mmap.ACCESS_READ)


class _Slices(io.RawIOBase):
    def __init__(self, content: mmap.mmap) -> None:
        super().__init__()
        self._content = content
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._content)}[whence]
        self._at = max(start + offset, 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: "WriteableBuffer") -> int:
        into = memoryview(buffer)
        chunk = self._content[self._at : self._at + len(into)]
        into[: len(chunk)] = chunk
        self._at += len(chunk)
        return len(chunk)
