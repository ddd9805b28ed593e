"""The needles of whole trees as hashes on disk, where one is looked up in microseconds.

Seven kinds of needles, one kind of number: 64 bits of a hash. Of k-grams it is a rolling hash over
their tokens, which costs a fraction of hashing each of them. The numbers are kept in sorted
segments that are mapped into memory.
"""

import functools
import hashlib
import mmap
import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path

from featuredel.leaks.needle import Needle
from featuredel.leaks.needles import SHORTEST, K, of_signatures, of_token
from featuredel.leaks.tokens import KEYWORDS, Token, normalised, pairs

_MASK = (1 << 64) - 1
_FACTOR = 0x9E3779B97F4A7C15
_OLDEST = pow(_FACTOR, K, 1 << 64)
_SEEDS = {"kgram": 0x5851F42D4C957F2D, "normalised": 0x14057B7EF767814F}

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][0-9A-Za-z_\x80-\xff]{%d,}" % (SHORTEST - 1))

SEGMENT = 1 << 21
"""Numbers in a segment: what is sorted in memory at once."""


def number_of(needle: Needle) -> int:
    """Return the number that stands for a needle."""
    if needle.kind not in _SEEDS:
        return _hash(f"{needle.kind}\0{needle.text}")
    row = [token for _, token in pairs("", needle.text)]
    hashes = list(map(_exactly if needle.kind == "kgram" else _shape, row))
    return next(_rolling(hashes, _SEEDS[needle.kind]), 0)


def numbers_of(path: str, text: str) -> Iterator[Iterable[int]]:
    """Yield the numbers of every needle in a text, in groups; one may come more than once."""
    others: list[int] = []
    row: list[str] = []

    def grams() -> Iterator[Iterable[int]]:
        if len(row) >= K:
            yield _rolling(list(map(_exactly, row)), _SEEDS["kgram"])
            yield _rolling(list(map(_shape, row)), _SEEDS["normalised"])
        row.clear()

    for kind, token in pairs(path, text):
        if kind in ("sign", "word"):
            row.append(token)
        else:
            others.extend(number_of(needle) for needle in of_token(Token(kind, token)))
            if kind in ("comment", "prose"):
                yield from grams()
            else:
                row.append(token)
    yield from grams()
    yield others
    yield numbers_of_words(text.encode(errors="replace"))  # in comments and documents as well
    yield [number_of(needle) for needle in of_signatures(text)]


def numbers_of_words(content: bytes) -> Iterator[int]:
    """Yield the numbers of the identifiers that someone sees who looks for words in some bytes."""
    for word in set(_WORD.findall(content)):
        yield _hash(f"identifier\0{word.decode(errors='replace')}")


def write(folder: Path, numbers: Iterable[Iterable[int]]) -> None:
    """Write numbers as an index to `folder`, which must be empty."""
    segment, count = array("Q"), 0

    def flush() -> None:
        nonlocal segment, count
        if segment:
            (folder / f"{count:04}.segment").write_bytes(array("Q", sorted(segment)).tobytes())
            segment, count = array("Q"), count + 1

    for group in numbers:
        segment.extend(group)
        if len(segment) >= SEGMENT:
            flush()
    flush()


class Index:
    """An index on disk, mapped."""

    def __init__(self, folder: Path) -> None:
        """Open the index that `write` left in `folder`."""
        self._segments = [_mapped(path) for path in sorted(folder.glob("*.segment"))]

    def __contains__(self, number: int) -> bool:
        """Return whether a number is in it."""
        return any(_is_in(segment, number) for segment in self._segments)


def _mapped(path: Path) -> memoryview:
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), os.fstat(file.fileno()).st_size, access=mmap.ACCESS_READ)
    return memoryview(content).cast("Q")


def _is_in(segment: memoryview, number: int) -> bool:
    place = bisect_left(segment, number)
    return place < len(segment) and segment[place] == number


@functools.lru_cache(maxsize=1 << 18)
def _exactly(token: str) -> int:
    return _hash("".join(token.split()))


@functools.lru_cache(maxsize=1 << 18)
def _shape(token: str) -> int:
    if (token[0].isalpha() or token[0] == "_") and token not in KEYWORDS:
        return _hash("I")
    return _hash(normalised(token.encode(errors="replace")).decode(errors="replace"))


def _rolling(hashes: list[int], seed: int) -> Iterator[int]:
    """Yield a number for each K hashes in a row."""
    value = 0
    for place, new in enumerate(hashes):
        value = (value * _FACTOR + new) & _MASK
        if place >= K:
            value = (value - hashes[place - K] * _OLDEST) & _MASK
        if place >= K - 1:
            yield value ^ seed


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
