"""Metadata of a Rust crate (`.rmeta`, also within an rlib): names, parameters, documentation.

A string there has its length before it and 0xC1 after it.
"""

import re
from collections.abc import Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Unseen, View

name = "rust metadata"
claims = True

_MAGIC = b"rust\0\0\0"
_STRING = re.compile(rb"([\t\n\r -~\x80-\xbf\xc2-\xf4]{4,})\xc1")


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like metadata, or is an object file that may hold some."""
    return head.startswith(_MAGIC) or (head[:4] == b"\x7fELF" and path.endswith(".rmeta"))


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield the strings, with and without a first letter that may be their length."""
    told: dict[bytes, None] = {}
    for found in _STRING.finditer(view.content):
        budget.spend(2 * len(found[1]))
        text = found[1]
        if text[0] in (len(text) - 1, (len(text) - 1) & 0x7F | 0x80):
            text = text[1:]
        told[text] = None
        told[found[1]] = None
    if told:
        yield view.part(name, "strings", b"\n".join(told), deeper=False)
