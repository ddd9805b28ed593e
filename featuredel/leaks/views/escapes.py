r"""Strings as programs write them: `\n`, `\"`, `\u007a`, `\x7a`, without asking which language.

Also the escapes of URLs, of mail (quoted-printable) and of an XML or HTML page in a string.
"""

import re
from collections.abc import Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Content, Unseen, View, is_text

name = "escapes"
claims = False

LARGEST_BYTES = 64 << 20
FEWEST = 3
"""Escapes that may be chance."""

_ESCAPE = re.compile(
    rb"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([0-7]{3})|([ntr\"'\\/`]))"
)
_NUMERIC = re.compile(rb"(?:\\(?:u\{?[0-9A-Fa-f]{2}|x[0-9A-Fa-f]{2}|[0-7]{3})[^\\]{0,8}){2}")
_URL = re.compile(rb"%([0-9A-Fa-f]{2})")
_PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\n", b"/": b"/"}


def applies(head: bytes, path: str) -> bool:
    """Return True: any text may hold strings."""
    return True


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the text with its escapes replaced, if it has any."""
    content = view.content
    if len(content) > LARGEST_BYTES or view.where.count("!escapes") > 2:
        return
    if (
        content.find(b"\\") >= 0
        and _count(content, b"\\n") + _count(content, b"\\u") + _count(content, b"\\x") >= FEWEST
        and is_text(content)
    ):
        plain = _ESCAPE.sub(_decoded, content)
        budget.spend(len(plain))
        yield view.part(name, "escapes", plain)
    if content.find(b"%20") >= 0 and is_text(content):
        plain = _URL.sub(lambda found: bytes([int(found[1], 16)]), content)
        budget.spend(len(plain))
        yield view.part(name, "url", plain, deeper=False)


def _count(content: Content, what: bytes) -> int:
    return content[:].count(what)


def _decoded(found: re.Match[bytes]) -> bytes:
    if found[5]:
        return _PLAIN.get(found[5], found[5])
    if found[4]:
        return bytes([int(found[4], 8) & 0xFF])
    number = int(found[1] or found[2] or found[3], 16)
    return chr(number).encode(errors="replace") if number < 0x110000 else found[0]
