"""Archives and streams within something else: executables, installers, inventories, documents.

Only content that is not text is searched, since no stream is made of letters alone.
"""

import re
import zlib
from collections.abc import Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views import streams
from featuredel.leaks.views import zip as zip_archives
from featuredel.leaks.views.view import Content, Unseen, View, collect

name = "carved"
claims = False

SMALLEST_BYTES = 32
"""Of what a stream unpacks to; less occurs by chance, and is no code."""

# patterns that begin with a plain letter are searched for as fast as memory can be read
_MAGICS = (
    re.compile(rb"\x1f\x8b\x08"),
    re.compile(rb"\x28\xb5\x2f\xfd"),
    re.compile(rb"\xfd7zXZ\x00"),
    re.compile(rb"x[\x01\x5e\x9c\xda]"),
    re.compile(rb"BZh[1-9]1AY&SY"),
)
_STEP_BYTES = 4 << 20


def applies(head: bytes, path: str) -> bool:
    """Return whether it is neither ASCII at its beginning nor read by the readers of archives."""
    if zip_archives.applies(head, path) or streams.applies(head, path):
        return False
    return not head.startswith((b"PACK\0\0\0", b"!<arch>\n")) and head[257:262] != b"ustar"


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield what is found by its magic, and unpacks."""
    content, covered = view.content, 0
    if is_ascii(content):
        return
    for at in sorted(_places(content)):
        if at < covered:
            continue
        budget.tick()
        if content[at : at + 4] == zip_archives.SIGNATURE:
            parts = zip_archives.views(view.part(name, f"zip at {at}", content[at:]), budget)
            yield from parts
            return  # it goes through the rest by itself, what lies between as well
        found = streams.kind(content[at : at + 8])
        if found is None or not _begins(content, at, found[0]):
            continue
        stream = streams.Stream(content, at, found[1], budget, joined=False)
        unpacked = collect(stream, budget)
        if len(unpacked) >= SMALLEST_BYTES:
            yield view.part(name, f"{found[0]} at {at}", unpacked)
            if not stream.failure:
                covered = stream.end


def is_ascii(content: Content) -> bool:
    """Return whether there is nothing but ASCII."""
    if isinstance(content, bytes):
        return content.isascii()
    return all(
        content[at : at + _STEP_BYTES].isascii() for at in range(0, len(content), _STEP_BYTES)
    )


def _places(content: Content) -> Iterator[int]:
    zips = content.find(zip_archives.SIGNATURE)
    if zips >= 0:
        yield zips
    for magic in _MAGICS:
        yield from (found.start() for found in magic.finditer(content, 1))


def _begins(content: Content, at: int, kind: str) -> bool:
    """Return whether the first bytes unpack; two of them occur by chance all the time."""
    if kind != "zlib":
        return True
    try:
        return len(zlib.decompressobj().decompress(content[at : at + 256], SMALLEST_BYTES)) > 16
    except zlib.error:
        return False
