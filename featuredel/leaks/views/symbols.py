"""Symbols of compiled code with the names in them told apart: Rust, C++, Cython.

`_ZN7package16zorptastic_merge17h0123456789abcdefE` holds the name between a number and a letter, so
that it does not stand alone in the raw bytes.
"""

import re
from collections.abc import Iterable, Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Unseen, View

name = "symbols"
claims = False

WINDOW_BYTES = 8 << 20
OVERLAP_BYTES = 4 << 10

MOST_PARTS = 12

# a pattern that begins with a plain letter is searched for twenty times as fast
_SYMBOLS = (
    re.compile(rb"_(?:_?Z|R|_pyx_)[\w.$]{5,2000}"),
    re.compile(rb"CPy[A-Z][A-Za-z]*_[\w.$]{5,2000}"),
    re.compile(rb"Java_[\w.$]{5,2000}"),
)
_SIZE = re.compile(rb"(?<!\d)(?:[6-9]|[1-9]\d{1,2})(?=[A-Za-z_])")


def applies(head: bytes, path: str) -> bool:
    """Return True; what has no NUL is not compiled, which is seen at once."""
    return True


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the names in all symbols, a line each."""
    content = view.content
    if content.find(b"\0") < 0:
        return
    found: dict[bytes, None] = {}
    for at in range(0, len(content), WINDOW_BYTES):
        budget.tick()
        window = content[at : at + WINDOW_BYTES + OVERLAP_BYTES]
        for pattern in _SYMBOLS:
            found.update(dict.fromkeys(pattern.findall(window)))
    if found:
        names = [*_sized(b"\n".join(found)), *_parted(found)]
        yield view.part(name, "names", b"\n".join(dict.fromkeys(names)), deeper=False)


def _sized(symbols: bytes) -> Iterator[bytes]:
    """Yield each name that has its length before it."""
    for found in _SIZE.finditer(symbols):
        start = found.end()
        inside = symbols[start : start + int(found[0])]
        if b"\n" not in inside:
            yield inside
            if inside[:1] == b"_":  # v0 of Rust puts it there when a digit follows
                yield inside[1:]


def _parted(symbols: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what follows each underscore, since nothing tells where the prefix ends."""
    for symbol in symbols:
        if symbol.startswith((b"__pyx_", b"CPy", b"Java_")):
            parts = symbol.split(b"_", MOST_PARTS)
            yield from (b"_".join(parts[start:]) for start in range(1, len(parts)))
