"""Runs of base64 and of hexadecimal digits: data URLs, inline maps, attachments, dumps."""

import base64
import binascii
import re
from collections.abc import Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Unseen, View

name = "base64"
claims = False

SHORTEST = 40
"""Digits in a row on one line; 30 bytes are hardly a line of code."""

WINDOW_BYTES = 8 << 20
OWN_BYTES = 512
"""A run that decodes to so much, or to text, is a view of its own, of whatever format."""

_HEX = re.compile(rb"(?:[0-9A-Fa-f]{2}){20,}")
_DIGITS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_RUN_OF_DIGITS = b"a" * SHORTEST


def _table(digits: frozenset[int]) -> bytes:
    return bytes(ord("a") if c in digits else ord(" ") for c in range(256))


_TEXT = (
    _table(_DIGITS | frozenset(b"+/-_")),
    re.compile(rb"(?:[A-Za-z0-9+/_-]{16,}(?:\\?[\r\n]|\\n|\\r\\n)*[ \t]*)+={0,2}"),
)
_BINARY = (_table(_DIGITS | frozenset(b"+/")), re.compile(rb"(?:[A-Za-z0-9+/]{16,}[\r\n]*)+"))
"""Digits and runs; in binaries without those of URLs, which symbols consist of."""

_NO_DIGIT = bytes(set(range(256)) - _DIGITS - set(b"+/-_"))
_URL_SAFE = bytes.maketrans(b"-_", b"+/")


def applies(head: bytes, path: str) -> bool:
    """Return True: a run may stand in anything."""
    return True


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield what runs decode to: long ones each by itself, the others together."""
    together: list[bytes] = []
    for at in range(0, len(view.content), WINDOW_BYTES):
        window = view.content[at : at + WINDOW_BYTES]
        binary = b"\0" in window
        for start, run in _runs(window, _BINARY if binary else _TEXT):
            for decoded in _decoded(run, binary):
                budget.spend(len(decoded))
                if len(decoded) >= OWN_BYTES or decoded.isascii():
                    yield view.part(name, f"base64 at {at + start}", decoded)
                else:
                    together.append(decoded)
    if together:
        yield view.part(name, "base64", b"\n".join(together), deeper=False)


def _runs(window: bytes, how: tuple[bytes, re.Pattern[bytes]]) -> Iterator[tuple[int, bytes]]:
    table, pattern = how
    digits = window.translate(table)
    at = digits.find(_RUN_OF_DIGITS)
    while at >= 0:
        found = pattern.match(window, at)
        if found is None:
            return
        yield at, found[0]
        at = digits.find(_RUN_OF_DIGITS, found.end())


def _decoded(run: bytes, binary: bool) -> Iterator[bytes]:
    run = run.replace(b"\\n", b"").replace(b"\\r", b"").translate(None, _NO_DIGIT)
    if _HEX.fullmatch(run):
        yield binascii.unhexlify(run)
        return
    if len(set(run)) < 8:
        return  # a rule of dashes
    run = run.translate(_URL_SAFE)
    # what stands before a short run may belong to something else
    for skipped in range(1 if binary or len(run) >= 400 else 4):
        part = run[skipped:]
        part = part[: len(part) - (len(part) % 4 == 1)]
        yield base64.b64decode(part + b"=" * (-len(part) % 4))
