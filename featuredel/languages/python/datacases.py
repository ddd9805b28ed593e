"""Take single cases out of a JSON file of test cases, where each test is named by its case."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from featuredel.languages.python.made import words

_SPACE = re.compile(r"\s*")
_LONGEST_NAME = 100
_MOST_FIELDS = 8
_MOST_PARTS = 3
"""A test's name is put together from this many fields at most."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The elements of a JSON list, and the text before, between and after them."""

    text: str
    spans: tuple[tuple[int, int], ...]
    values: tuple[Mapping[str, object], ...]

    def without(self, gone: Collection[int]) -> bytes:
        """Return the file without some elements; all other text stays as it is."""
        kept = [n for n in range(len(self.spans)) if n not in gone]
        parts = [self.text[: self.spans[0][0]]]
        for place, n in enumerate(kept):
            first, last = self.spans[n]
            parts.append(self.text[self.spans[n - 1][1] if place else first : last])
        return "".join([*parts, self.text[self.spans[-1][1] :]]).encode()


def read(data: bytes) -> Cases | None:
    """Return the cases of a file, or None if it is no list of objects."""
    try:
        text = data.decode("utf-8")
        spans, values = zip(*_elements(text), strict=True)
    except ValueError:
        return None
    if not all(isinstance(value, dict) for value in values):
        return None
    return Cases(text, spans, values)


def named(cases: Cases, tests: Collection[str]) -> Mapping[str, int] | None:
    """Return the case of each test, by what the tests are called; None if that is not clear.

    A name is the values of the same one to three fields of every case, whatever joins them.
    """
    wanted = {test: tuple(words(test))[1:] for test in tests}
    for fields in _choices(cases):
        rows: dict[tuple[str, ...], int] = {}
        for row, value in enumerate(cases.values):
            rows.setdefault(tuple(w for f in fields for w in words(str(value[f]))), row)
        if len(rows) == len(cases.values) and all(name in rows for name in wanted.values()):
            return {test: rows[name] for test, name in wanted.items()}
    return None


def _choices(cases: Cases) -> Iterator[tuple[str, ...]]:
    fields = [
        field
        for field in cases.values[0]
        if all(_tells(value.get(field)) for value in cases.values)
    ][:_MOST_FIELDS]
    for parts in range(1, _MOST_PARTS + 1):
        yield from permutations(fields, parts)


def _tells(value: object) -> bool:
    """Tell whether a value may be part of a name."""
    if isinstance(value, str):
        return 0 < len(value) < _LONGEST_NAME
    return isinstance(value, int) and not isinstance(value, bool)


def _elements(text: str) -> Iterator[tuple[tuple[int, int], object]]:
    """Yield the place and value of each element. Raises `ValueError` if it is no JSON list."""
    decoder = json.JSONDecoder()
    at = _past_space(text, 0)
    mark = "["
    while text[at : at + 1] == mark:
        first = _past_space(text, at + 1)
        value, last = decoder.raw_decode(text, first)
        yield (first, last), value
        at, mark = _past_space(text, last), ","
    if text[at : at + 1] != "]":
        raise ValueError("not a list")


def _past_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
