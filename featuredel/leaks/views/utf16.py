"""Text of two or four bytes a letter, at any place of anything, in either order of bytes."""

import re
from collections.abc import Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Unseen, View

name = "utf-16"
claims = False

WINDOW_BYTES = 8 << 20
OVERLAP_BYTES = 64 << 10

_LETTERS = bytes(
    0 if c == 0 else ord("a") if 32 <= c < 127 or c in b"\t\r\n" else 255 for c in range(256)
)
_TWO = re.compile(rb"(?:[\t\r\n -~]\0){5,}[ -~]?")
_FOUR = re.compile(rb"(?:[\t\r\n -~]\0\0\0){5,}[ -~]?")
_BOMS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def applies(head: bytes, path: str) -> bool:
    """Return True; what has no NUL is seen at once."""
    return True


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the text of all such runs, a line each."""
    content = view.content
    if content.find(b"\0") < 0:
        return
    if (encoding := _BOMS.get(content[:2])) and len(content) <= WINDOW_BYTES:
        text = content[:].decode(encoding, "replace").encode(errors="replace")
        yield view.part(name, "text", text)
        return
    for at in range(0, len(content), WINDOW_BYTES):
        window = content[at : at + WINDOW_BYTES + OVERLAP_BYTES]
        letters = window.translate(_LETTERS)
        for width, pattern in ((2, _TWO), (4, _FOUR)):
            runs = list(_runs(window, letters, width, pattern))
            if runs:
                budget.spend(sum(map(len, runs)))
                yield view.part(name, "text", b"\n".join(runs), deeper=False)


def _runs(window: bytes, letters: bytes, width: int, pattern: re.Pattern[bytes]) -> Iterator[bytes]:
    sought = (b"a" + b"\0" * (width - 1)) * 5
    at = letters.find(sought)
    while at >= 0 and (found := pattern.match(window, at)):
        yield found[0][::width]
        at = letters.find(sought, found.end())
