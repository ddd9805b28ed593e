"""mypy's binary cache (`.ff`), by itself or in the rows of a cache database.

A string has its length before it, and what follows is a tag, either of which may look like a
letter. So every place that reads as a length and a name of that length is told as that name.
"""

import re
from collections.abc import Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Damaged, Unseen, View

name = "mypy cache"
claims = True

LARGEST_BYTES = 64 << 20
SHORTEST = 4

_FILE = b"2\x04"
"""The tag of a module, then that of a string: its name."""

_LEAST_INT = -10
_RUN = re.compile(rb"[\x80-\xf4 -~]{5,}")
_NAME = re.compile(rb"[A-Za-z_\x80-\xf4][\w.\x80-\xf4]*")


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like the data of a module, or is named as part of the cache."""
    return head.startswith(_FILE) or path.endswith(".ff")


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the names, in their order."""
    if len(view.content) > LARGEST_BYTES:
        raise Damaged("larger than any cache of mypy")
    names: list[bytes] = []
    for run in _RUN.finditer(view.content):
        budget.tick()
        names += _names(view.content[run.start() : run.end()])
    if names:
        yield view.part(name, "names", b"\n".join(names), deeper=False)


def _names(run: bytes) -> Iterator[bytes]:
    for at, byte in enumerate(run):
        # a size from -10 to 117 is one byte, which is even
        size = (byte >> 1) + _LEAST_INT
        if byte & 1 or size < SHORTEST or at + 1 + size > len(run):
            continue
        found = run[at + 1 : at + 1 + size]
        if _NAME.fullmatch(found):
            yield found
