"""Which features to try, and in which order: a spread of sizes with bounded overlap."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from featuredel.model import DefinitionId, Feature

_BUCKETS = (30, 100, 250, 500)
"""Code lines where the next size begins."""

_LARGE = 2

_ROUND = (1, 2, 3, 0, 2, 4, 1, 3, 2, 0, 2, 3)
"""Sizes in the order in which they take turns: two of three have 100 lines or more, as long as
there are such: most projects hold few, and single functions in plenty."""

_SMALL_SIBLINGS = 0.6
"""Two features below 100 lines of which none holds the other may share this much less."""

_MOST_PARENTS = 3
"""How many chosen features may hold a chosen one."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A feature with the lines of each definition in it, classes broken up into members."""

    feature: Feature
    lines: dict[DefinitionId, int]


def choose(candidates: Iterable[Candidate], most: int, max_overlap: float) -> tuple[Feature, ...]:
    """Return at most `most` features in the order in which to try them, parents filled in."""
    waiting = _by_size(candidates)
    chosen: list[Candidate] = []
    turn = idle = 0
    while len(chosen) < most and idle < len(_ROUND):
        queue = waiting[_ROUND[turn % len(_ROUND)]]
        turn += 1
        idle += 1
        while queue:
            candidate = queue.pop(0)
            if _fits(candidate, chosen, max_overlap):
                chosen.append(candidate)
                idle = 0
                break
    return tuple(replace(c.feature, parents=_parents(c, chosen)) for c in chosen)


def _by_size(candidates: Iterable[Candidate]) -> list[list[Candidate]]:
    queues: list[list[Candidate]] = [[] for _ in range(len(_BUCKETS) + 1)]
    for candidate in sorted(candidates, key=lambda c: (-c.feature.rank, c.feature.id)):
        queues[size_class(candidate.feature.code_lines)].append(candidate)
    return queues


def size_class(code_lines: int) -> int:
    """Return the size: 0 below 30 code lines, 1 below 100, 2 below 250, 3 below 500, else 4."""
    return sum(1 for bound in _BUCKETS if code_lines >= bound)


def _fits(candidate: Candidate, chosen: Sequence[Candidate], max_overlap: float) -> bool:
    for other in chosen:
        if _shared(candidate, other) > max_overlap * _strictness(candidate, other):
            return False
    children = [other for other in chosen if _holds(candidate, other)]
    return len(_parents(candidate, chosen)) <= _MOST_PARENTS and all(
        len(_parents(child, chosen)) < _MOST_PARENTS for child in children
    )


def _strictness(one: Candidate, other: Candidate) -> float:
    large = min(size_class(c.feature.code_lines) for c in (one, other)) >= _LARGE
    nested = _holds(one, other) or _holds(other, one)
    return 1.0 if large or nested else _SMALL_SIBLINGS


def _shared(one: Candidate, other: Candidate) -> float:
    """Return the Jaccard share of code lines."""
    smaller, larger = sorted((one.lines, other.lines), key=len)
    both = sum(n for d, n in smaller.items() if d in larger)
    either = sum(one.lines.values()) + sum(other.lines.values()) - both
    return both / either if either else 1.0


def _holds(parent: Candidate, child: Candidate) -> bool:
    return child.lines.keys() <= parent.lines.keys()


def _parents(candidate: Candidate, chosen: Sequence[Candidate]) -> tuple[str, ...]:
    holders = (c for c in chosen if c is not candidate and _holds(c, candidate))
    return tuple(sorted(c.feature.id for c in holders))
