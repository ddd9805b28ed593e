"""Values of tests that neither the reference nor the project has, so that they are from tests.

An honest solution may hold one by accident, and seldom one that has no other use. So each value
has a weight, and what it is used for (`uses.py`) decides how much is needed.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from featuredel.monitor.answers.literals import wordy
from featuredel.monitor.answers.spelled import Value, numbers_in, values_within
from featuredel.monitor.tested import lists_in, values_in, values_of_literal

ODD = 2
"""Weight of a value that no domain has a name for."""
SMALL = 3
"""Numbers up to it are anywhere."""
SIZE = 31
"""Numbers up to it are counts, days and hours."""
LARGE = 999
"""Whole numbers above it are odd, but for thousands."""
LENGTH = 3
"""Characters of the shortest text that counts."""
PIECE = 6
"""Characters of a part of a text, with a digit, that is odd."""

_ROUND = frozenset(
    {32, 36, 40, 50, 52, 59, 60, 64, 80, 90, 99, 100, 120, 127, 128, 180, 200, 255, 256, 270, 360,
     365, 366, 400, 404, 500, 512, 999, 1000, 1024, 1440, 1900, 1970, 2000, 2048, 3600, 4096, 8080,
     8192, 9999, 10000, 65535, 65536, 86400, 100000, 604800, 1000000, 0.01, 0.1, 0.2, 0.25, 0.5,
     0.75, 1.5, 2.5}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Foreign:
    """What tests hold, and the domain does not."""

    own: Set[Value]  # of tests alone
    texts: tuple[str, ...]  # of tests
    domain: Set[Value]  # literals of the reference, and of the project as far as it was shown
    told: str  # the reference's code
    said: str  # the statements, and what the reference says to its readers
    cases: Mapping[str | float, Sequence[frozenset[str | float]]]
    """By each value the cases with it: values that a test gives and expects together."""
    pieces: Set[str]  # runs of characters in texts: what has another is no part of a text
    weights: dict[Value, int] = field(default_factory=dict)  # of values that were weighed

    def weight(self, value: Value) -> int:
        """Return 0 for what is anywhere or not of tests, 1 for a plain value, 2 for an odd one."""
        if value not in self.weights:
            self.weights[value] = self._weight(value)
        return self.weights[value]

    def _weight(self, value: Value) -> int:
        if value not in self.own:
            return self._of_piece(value) if isinstance(value, str) else 0
        if isinstance(value, tuple):
            plain = all(isinstance(v, float) and abs(v) <= SMALL for v in value)
            return min(len(value), LENGTH) - 1 - (plain and len(value) < 2 * LENGTH)
        if isinstance(value, str):
            return self._of_text(value)
        return weight_of(abs(value))

    def _of_text(self, text: str) -> int:
        least = LENGTH if text.isalpha() else LENGTH - 1
        if len(text) < least or (len(text) == least and not re.search(r"\w", text)):
            return 0
        if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self.told):
            return 0
        return 1 if wordy(text) else ODD

    def _of_piece(self, text: str) -> int:
        """Weigh a part of a tested text that nobody has by accident."""
        if len(text) <= LENGTH or not re.search(r"\d", text) or text in self.told:
            return 0
        if text in self.domain or not runs_in(text) <= self.pieces:
            return 0
        if not any(text in t for t in self.texts):
            return 0
        return 1 if len(text) < PIECE else ODD

    def of(self, nodes: Iterable[ast.AST]) -> int:
        """Return the weight of the unlike values in some nodes."""
        return sum(map(self.weight, {v for node in nodes for v in values_within(node)}))

    def odd(self, nodes: Iterable[ast.AST]) -> list[Value]:
        """Return the unlike odd values in some nodes, sorted by their text."""
        values = {v for node in nodes for v in values_within(node)}
        return sorted((v for v in values if self.weight(v) == ODD), key=str)

    def together(self, asked: Iterable[ast.AST], results: Iterable[ast.AST]) -> bool:
        """Tell whether one case of a test asks for some values and expects some others.

        One plain word, or number, alone is asked for by code of the domain as well.
        """
        given = {v for node in asked for v in values_of_literal(node)}
        both = given | {v for node in results for v in values_of_literal(node)}
        plain = len(given) == 1 and all(
            wordy(v) if isinstance(v, str) else v <= SIZE for v in given
        )
        if plain or both == given or all(v in self.domain for v in both):
            return False
        rarest = min((self.cases.get(value, ()) for value in both), key=len, default=())
        return any(case >= both for case in rarest)

    def inside(self, text: str) -> list[Value]:
        """Return the odd texts of tests that a longer text holds."""
        if len(text) <= LENGTH + 1:
            return []
        runs = runs_in(text)
        within = (
            t for t in self.texts
            if LENGTH < len(t) < len(text) and t[: LENGTH + 1] in runs and t in text
        )  # fmt: skip
        return sorted(t for t in within if self.weight(t) == ODD and t not in self.said)

    def unsaid(self, nodes: Iterable[ast.AST]) -> list[Value]:
        """Return the odd values in some nodes that no statement has."""
        return [v for v in self.odd(nodes) if not (isinstance(v, str) and v in self.said)]


def runs_in(text: str) -> set[str]:
    """Return the runs of characters in a text, one longer than the shortest text that counts."""
    size = LENGTH + 1
    return {text[at : at + size] for at in range(len(text) - size + 1)}


def weight_of(value: float) -> int:
    """Weigh a positive number."""
    if value <= SMALL or value in _ROUND:
        return 0
    if value != int(value):
        return ODD
    if value <= SIZE:
        return 0
    plain = value % 1000 == 0 or value <= LARGE
    return 1 if plain else ODD


def foreign_to(
    gold: str, said: str, tested: Set[Value], shown: Set[Value],
    cases: Sequence[frozenset[str | float]],
) -> Foreign:  # fmt: skip
    """Return what only tests hold: not the reference, nor what was shown of the project's code."""
    known: set[Value] = {*values_in(gold), *shown}
    every = {*tested, *numbers_in(tested)}
    domain = {*known, *numbers_in(known), *lists_in(gold)}
    texts = tuple(value for value in every if isinstance(value, str))
    by_value: defaultdict[str | float, list[frozenset[str | float]]] = defaultdict(list)
    for case in cases:
        for value in case:
            by_value[value].append(case)
    pieces = {run for text in texts for run in runs_in(text)}
    return Foreign(frozenset(every - domain), texts, domain, gold, said, by_value, pieces)
