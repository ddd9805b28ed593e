"""Compressed streams: gzip, zlib (loose git objects, inventories), bzip2, xz, lzma and zstd.

They are decompressed step by step, never more than a step beyond what the budget allows.
"""

import bz2
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import STEP_BYTES, Content, Damaged, Unseen, View, collect

if TYPE_CHECKING or sys.version_info < (3, 14):
    from backports import zstd
else:
    from compression import zstd

name = "decompressed"
claims = True

MEMORY_BYTES = 256 << 20
"""What a dictionary of xz may take; `xz -9` takes 65 MB."""


ZSTD: Callable[[], Any] = zstd.ZstdDecompressor

_ERRORS = (zlib.error, OSError, lzma.LZMAError, zstd.ZstdError, EOFError, ValueError)


def _lzma() -> Any:
    return lzma.LZMADecompressor(memlimit=MEMORY_BYTES)


KINDS: tuple[tuple[bytes, str, Callable[[], Any]], ...] = (
    (b"\x1f\x8b\x08", "gzip", lambda: zlib.decompressobj(31)),
    (b"BZh", "bzip2", bz2.BZ2Decompressor),
    (b"\xfd7zXZ\0", "xz", _lzma),
    (b"]\0\0", "lzma", _lzma),
    (b"\x28\xb5\x2f\xfd", "zstd", ZSTD),
    (b"\x78\x01", "zlib", zlib.decompressobj),
    (b"\x78\x5e", "zlib", zlib.decompressobj),
    (b"\x78\x9c", "zlib", zlib.decompressobj),
    (b"\x78\xda", "zlib", zlib.decompressobj),
)
"""Magic, name, and what makes a decompressor."""


def kind(head: bytes) -> tuple[str, Callable[[], Any]] | None:
    """Return name and maker of the decompressor for what begins with `head`, or None."""
    for magic, label, make in KINDS:
        if head.startswith(magic):
            return label, make
    if head[:1] == b"\x50" and head[1:4] == b"\x2a\x4d\x18":  # a skippable frame of zstd
        return "zstd", ZSTD
    if (
        len(head) > 2
        and head[0] & 15 == 8
        and head[0] >> 4 < 8
        and not ((head[0] << 8 | head[1]) % 31 or head[1] & 32)
    ):  # a smaller window, as git writes for small objects on some machines
        return "zlib", zlib.decompressobj
    return None


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like a compressed stream."""
    return kind(head) is not None


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield what is in the stream, and what follows it."""
    found = kind(view.content[:8])
    assert found is not None
    label, make = found
    stream = Stream(view.content, 0, make, budget)
    content = collect(stream, budget)
    suffix = view.where.rpartition(".")[0].rpartition("!")[2].rpartition("/")[2]
    if len(content):
        yield view.part(label, suffix if suffix else label, content)
    if stream.failure:
        raise Damaged(f"{label}: {stream.failure}")
    if stream.end < len(view.content):
        rest = view.content[stream.end :]
        if rest.strip(b"\0"):
            yield view.part(label, "after the end", rest)


class Stream:
    """Iterates over what a stream unpacks to; tells then where it ended and what was wrong."""

    def __init__(
        self, content: Content, start: int, make: Callable[[], Any], budget: Budget,
        *, joined: bool = True,
    ) -> None:  # fmt: skip
        self.end = start
        self.failure = ""
        self._content, self._make, self._budget, self._joined = content, make, budget, joined

    def __iter__(self) -> Iterator[bytes]:
        """Yield chunks; streams of one kind that follow each other are one."""
        magic = self._content[self.end : self.end + 3]
        while True:
            yield from self._one()
            following = self._content[self.end : self.end + 3]
            # zlib has no container of several: what follows is something else
            if self.failure or not self._joined or following != magic or magic[:1] == b"\x78":
                return

    def _one(self) -> Iterator[bytes]:
        decompressor, at, pending = self._make(), self.end, b""
        zlib_like = hasattr(decompressor, "unconsumed_tail")
        try:
            while not decompressor.eof:
                self._budget.tick()
                if not pending and (zlib_like or decompressor.needs_input):
                    pending = self._content[at : at + STEP_BYTES]
                    at += len(pending)
                    if not pending:
                        self.failure = "ends in the middle"
                        break
                chunk = decompressor.decompress(pending, STEP_BYTES)
                pending = decompressor.unconsumed_tail if zlib_like else b""
                if chunk:
                    yield chunk
            self.end = at - len(decompressor.unused_data if decompressor.eof else b"")
        except _ERRORS as error:
            self.failure = str(error) or type(error).__name__
            self.end = at
