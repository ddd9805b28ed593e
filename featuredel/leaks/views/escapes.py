r"""Strings as programs write them: `\n`, `\"`, `\u007a`, `\x7a`, without asking which language.

Also the escapes of URLs.
"""

import re
from collections.abc import Callable, Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Unseen, View, is_text

name = "escapes"
claims = False

LARGEST_BYTES = 64 << 20
FEWEST = 3
"""Escapes in a line, so that it may hold more than a line."""

MOST_NESTED = 3

_ESCAPE = re.compile(
    rb"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([0-7]{3})|([ntr\"'\\/`]))"
)
_URL = re.compile(rb"%([0-9A-Fa-f]{2})")
_PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\n", b"/": b"/"}


def applies(head: bytes, path: str) -> bool:
    """Return True: any text may hold strings."""
    return True


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the lines with several escapes, replaced; other lines say the same raw."""
    content = view.content
    if len(content) > LARGEST_BYTES or view.where.count("escapes") >= MOST_NESTED:
        return
    for mark, pattern, replace, label in _KINDS:
        if content.find(mark) >= 0 and is_text(content):
            lines = [line for line in content[:].split(b"\n") if line.count(mark) >= FEWEST]
            plain = b"\n".join(pattern.sub(replace, line) for line in lines)
            if plain != b"\n".join(lines):
                budget.spend(len(plain))
                yield view.part(name, label, plain)


def _decoded(found: re.Match[bytes]) -> bytes:
    if found[5]:
        return _PLAIN.get(found[5], found[5])
    if found[4]:
        return bytes([int(found[4], 8) & 0xFF])
    number = int(found[1] or found[2] or found[3], 16)
    return chr(number).encode(errors="replace") if number < 0x110000 else found[0]


_KINDS: tuple[tuple[bytes, re.Pattern[bytes], Callable[[re.Match[bytes]], bytes], str], ...] = (
    (b"\\", _ESCAPE, _decoded, "escapes"),
    (b"%", _URL, lambda found: bytes([int(found[1], 16)]), "url escapes"),
)
