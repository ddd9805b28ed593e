"""Symbols of compiled code with the names in them told apart: Rust, C++, Cython.

`_ZN7package16zorptastic_merge17h0123456789abcdefE` holds the name between a number and a letter, so
that it does not stand alone in the raw bytes.
"""

import re
from collections.abc import Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Unseen, View

name = "symbols"
claims = False

WINDOW_BYTES = 8 << 20
OVERLAP_BYTES = 4 << 10

_PREFIXES = (b"_Z", b"_R", b"__pyx_", b"__Z", b"CPyDef_", b"CPyStatic_", b"Java_")
_SYMBOL = re.compile(rb"(?:_?_Z|_R|__pyx_|CPy[A-Z][A-Za-z]*_|Java_)[\w.$]{5,2000}")
_SIZE = re.compile(rb"(?<!\d)[1-9]\d{0,2}")
MOST_PARTS = 12


def applies(head: bytes, path: str) -> bool:
    """Return True: debug information and maps of linkers hold them too."""
    return True


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the names in all symbols, a line each."""
    content = view.content
    if all(content.find(prefix) < 0 for prefix in _PREFIXES):
        return
    names: dict[bytes, None] = {}
    for at in range(0, len(content), WINDOW_BYTES):
        budget.tick()
        for found in _SYMBOL.finditer(content[at : at + WINDOW_BYTES + OVERLAP_BYTES]):
            names.update(dict.fromkeys(_names(found[0])))
    if names:
        yield view.part(name, "names", b"\n".join(names), deeper=False)


def _names(symbol: bytes) -> Iterator[bytes]:
    for found in _SIZE.finditer(symbol):
        end = found.end() + int(found[0])
        inside = symbol[found.end() : end]
        if end <= len(symbol) and len(inside) >= 4:
            # v0 of Rust parts a name that begins with a digit by an underscore
            yield inside
            if inside[:1] == b"_":
                yield symbol[found.end() + 1 : end + 1]
    if symbol.startswith((b"__pyx_", b"CPy", b"Java_")):
        # nothing tells where the prefix ends, so any part after an underscore may be the name
        parts = symbol.split(b"_", MOST_PARTS)
        yield from (b"_".join(parts[start:]) for start in range(1, len(parts)))
