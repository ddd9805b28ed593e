"""Zip archives, whatever their name: wheels, jars, eggs, conda packages, zipapps.

Members are found by their own headers, not by the directory at the end: what the directory leaves
out is still there for whoever looks, and a directory of a million lines need not be held.
"""

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views import streams
from featuredel.leaks.views.view import Content, Unseen, View, collect

name = "zip"
claims = True

SIGNATURE = b"PK\x03\x04"
_HEADER = struct.Struct("<4sHHHHHIIIHH")
_STORED = 0
_ENCRYPTED = 1
_SIZE_FOLLOWS = 8
_UNKNOWN_BYTES = 0xFFFFFFFF


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like a zip archive, an empty one or a part of one too."""
    return head.startswith((SIGNATURE, b"PK\x05\x06", b"PK\x07\x08"))


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield each member."""
    at = view.content.find(SIGNATURE)
    while at >= 0:
        budget.tick()
        end = at + 4
        if (found := _Member.read(view.content, at)) is not None:
            yield from found.views(view, budget)
            end = found.end
        at = view.content.find(SIGNATURE, end)


class _Member:
    def __init__(self, content: Content, label: str, fields: tuple[int, ...], start: int) -> None:
        self.flags, self.method, self.size = fields
        self.content, self.label, self.start = content, label, start
        self.end = start
        if not self.flags & _SIZE_FOLLOWS and self.size != _UNKNOWN_BYTES:
            self.end = min(start + self.size, len(content))

    @classmethod
    def read(cls, content: Content, at: int) -> "_Member | None":
        raw = content[at : at + _HEADER.size]
        if len(raw) < _HEADER.size:
            return None
        fields = _HEADER.unpack(raw)
        _, version, flags, method, _, _, _, packed, _, name_bytes, extra_bytes = fields
        if version & 0xFF > 100 or method > 99:
            return None  # the signature occurs by chance
        name_at = at + _HEADER.size
        raw_name = content[name_at : name_at + name_bytes]
        start = name_at + name_bytes + extra_bytes
        if packed == _UNKNOWN_BYTES:
            packed = _size_in_extra(content[name_at + name_bytes : start])
        if start > len(content):
            return None
        label = raw_name.decode("utf-8" if flags & 0x800 else "cp437", "replace")
        return cls(content, label, (flags, method, packed), start)

    def views(self, view: View, budget: Budget) -> Iterator[View | Unseen]:
        where = f"{view.where}!{self.label}"
        if self.flags & _ENCRYPTED:
            yield Unseen(where, "an encrypted member of a zip archive")
            return
        if self.method == _STORED:
            if self.flags & _SIZE_FOLLOWS:
                self.end = self._stored_end()
            if self.end > self.start:
                budget.spend(self.end - self.start)
                yield view.part(name, self.label, self.content[self.start : self.end])
            return
        make = self._decompressor()
        if make is None:
            yield Unseen(where, f"a member of a zip archive packed by method {self.method}")
            return
        stream = streams.Stream(
            self.content, self.start + self._skipped(), make, budget, joined=False
        )
        content = collect(stream, budget)
        if len(content):
            yield view.part(name, self.label, content)
        if stream.failure:
            yield Unseen(where, f"a damaged member of a zip archive: {stream.failure}")
        else:
            self.end = stream.end

    def _stored_end(self) -> int:
        found = [
            self.content.find(s, self.start) for s in (b"PK\x07\x08", SIGNATURE, b"PK\x01\x02")
        ]
        return min([at for at in found if at >= 0], default=len(self.content))

    def _skipped(self) -> int:
        return 4 + self.content[self.start + 2] if self.method == 14 else 0

    def _decompressor(self) -> Callable[[], Any] | None:
        if self.method == 8:
            return lambda: zlib.decompressobj(-15)
        if self.method == 12:
            return bz2.BZ2Decompressor
        if self.method == 14 and self.start + 9 <= len(self.content):
            return lambda: _raw_lzma(self.content[self.start + 4 : self.start + 9])
        if self.method in (20, 93):
            return streams.ZSTD
        if self.method == 95:
            return lzma.LZMADecompressor
        return None


def _raw_lzma(properties: bytes) -> lzma.LZMADecompressor:
    first, size = struct.unpack("<BI", properties)
    filters = [{
        "id": lzma.FILTER_LZMA1, "dict_size": min(size, streams.MEMORY_BYTES),
        "lc": first % 9, "lp": first // 9 % 5, "pb": first // 45,
    }]  # fmt: skip
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)


def _size_in_extra(extra: bytes) -> int:
    at = 0
    while at + 4 <= len(extra):
        tag, size = struct.unpack_from("<HH", extra, at)
        if tag == 1 and size >= 16 and at + 20 <= len(extra):
            return int(struct.unpack_from("<Q", extra, at + 12)[0])
        at += 4 + size
    return _UNKNOWN_BYTES
