"""Pickles by their opcodes, listed and never run: caches of jedi, parso, sphinx, numba."""

import pickletools
from collections.abc import Iterator
from typing import IO

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Damaged, Unseen, View, reader

name = "pickle"
claims = True

LONG = 256
"""Bytes so long may be something of their own."""

_PROTOCOLS = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_SUFFIXES = (".pkl", ".pickle", ".p", ".doctree", ".nbi", ".nbc", ".joblib", ".cache")
_OLD = b"(]}cIFSVXKMGUNl"
_TICKS = 1 << 12


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like a pickle; an old one, which is text, only by its name."""
    return head.startswith(_PROTOCOLS) or (path.endswith(_SUFFIXES) and head[:1] in _OLD)


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield all strings and numbers in their order, and long bytes by themselves."""
    told: list[bytes] = []
    with reader(view.content) as stream:
        end = 0
        while True:
            try:
                for number, value in enumerate(_arguments(stream)):
                    if not number % _TICKS:
                        budget.tick()
                    if isinstance(value, str):
                        told.append(value.encode(errors="replace"))
                    elif isinstance(value, (bytes, bytearray)):
                        told.append(bytes(value))
                        if len(value) >= LONG:
                            budget.spend(len(value))
                            yield view.part(name, f"bytes at {end}+{number}", bytes(value))
                    elif isinstance(value, (int, float)):
                        told.append(repr(value).encode())
            except (ValueError, IndexError, OverflowError, UnicodeError, MemoryError) as error:
                if told:
                    yield _joined(view, told)
                if end:
                    rest = view.content[end:]
                    yield view.part(name, "after the end", rest)
                    return
                raise Damaged(f"pickle: {error}") from error
            end = stream.tell()
            if end >= len(view.content):
                break
            if view.content[end : end + 1] != b"\x80":
                yield view.part(name, "after the end", view.content[end:])
                break
    if told:
        yield _joined(view, told)


def _joined(view: View, told: list[bytes]) -> View:
    # lines of a source keep their ends, which parts them well enough
    return view.part(name, "values", b"\n".join(told), deeper=False)


def _arguments(stream: IO[bytes]) -> Iterator[object]:
    for opcode, argument, _ in pickletools.genops(stream):
        if argument is not None and opcode.name not in _MEMO:
            yield argument


_MEMO = frozenset({
    "BINPUT", "LONG_BINPUT", "PUT", "BINGET", "LONG_BINGET", "GET", "FRAME", "PROTO",
})  # fmt: skip
