"""From a seed to a feature: close its tests, take the connected part, retreat from what stays."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from featuredel.features.stay import Stay
from featuredel.model import DefinitionId, Retreat, SeedKind
from featuredel.relation import Relation


@dataclass(frozen=True, slots=True)
class Seed:
    """Where to start: definitions that go together, or tests."""

    definition: DefinitionId
    kind: SeedKind
    start: tuple[DefinitionId, ...]
    tests: int


@dataclass(frozen=True, slots=True)
class Piece:
    """What was cut from a seed. `chosen` holds members as well as their classes."""

    seed: Seed
    chosen: frozenset[DefinitionId]
    tests: int
    component_share: float
    retreats: tuple[Retreat, ...]


class Cutter:
    """Cuts features from the relation."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self._definitions = relation.index.definitions
        self._stay = Stay(relation)
        self._closures: dict[int, frozenset[DefinitionId]] = {}

    def cut(self, seed: Seed) -> Piece | None:
        """Return the feature around a seed, or None where nothing of the seed can go."""
        tests = seed.tests
        kept: dict[DefinitionId, str] = {}
        chosen: frozenset[DefinitionId] = frozenset()
        share = 1.0
        for _ in range(40):  # each round keeps one more definition or ends
            closed = self.closed(tests)
            within = closed - self._with_members(kept)
            start = [d for d in seed.start if d in within]
            if not seed.start:
                start = self._largest(within)
            if not start:
                return None
            chosen = self._with_members(self._spread(start, within)) - self._around(kept)
            share = self.lines(chosen) / max(self.lines(closed), 1)
            smaller = self.relation.tests_of(chosen)
            blocked = self._stay.reasons(chosen, smaller)
            if not blocked and smaller == tests:
                break
            kept.update(blocked)
            tests = smaller
        else:
            return None
        retreats = tuple(Retreat(d, kept[d]) for d in sorted(kept))
        return Piece(seed, chosen, tests, share, retreats)

    def closed(self, tests: int) -> frozenset[DefinitionId]:
        """Return E(tests) without what lies in functions: those go with the function."""
        if tests not in self._closures:
            self._closures[tests] = frozenset(
                d for d in self.relation.closure(tests) if not self._in_function(d)
            )
        return self._closures[tests]

    def lines(self, ds: Collection[DefinitionId]) -> int:
        """Return the code lines of a set that may hold members beside their classes."""
        return sum(self._definitions[d].code_lines for d in self.tops(ds))

    def tops(self, ds: Collection[DefinitionId]) -> tuple[DefinitionId, ...]:
        """Return the definitions of `ds` that lie in no other of them, sorted."""
        inside = ds if isinstance(ds, frozenset) else frozenset(ds)
        return tuple(sorted(d for d in inside if not self._above_in(d, inside)))

    def _above_in(self, d: DefinitionId, ds: frozenset[DefinitionId]) -> bool:
        at = self._definitions[d].parent
        while at is not None:
            if at in ds:
                return True
            at = self._definitions[at].parent
        return False

    def _spread(
        self, start: Iterable[DefinitionId], within: frozenset[DefinitionId]
    ) -> frozenset[DefinitionId]:
        found: set[DefinitionId] = set()
        for d in start:
            if d not in found:
                found |= self.relation.component(d, within)
        return frozenset(found)

    def _largest(self, within: frozenset[DefinitionId]) -> list[DefinitionId]:
        """Return one member of the largest connected part."""
        best: tuple[int, DefinitionId] | None = None
        left = set(within)
        for d in sorted(within):
            if d in left:
                part = self.relation.component(d, within)
                left -= part
                size = self.lines(part)
                if best is None or size > best[0]:
                    best = (size, d)
        return [best[1]] if best is not None else []

    def _with_members(self, ds: Iterable[DefinitionId]) -> frozenset[DefinitionId]:
        return frozenset(m for d in ds for m in self.relation.members(d))

    def _around(self, kept: Iterable[DefinitionId]) -> frozenset[DefinitionId]:
        """Return what stays because something in it stays."""
        found: set[DefinitionId] = set()
        for d in kept:
            at: DefinitionId | None = d
            while at is not None and at not in found:
                found.add(at)
                at = self._definitions[at].parent
        return frozenset(found)

    def _in_function(self, d: DefinitionId) -> bool:
        at = self._definitions[d].parent
        while at is not None:
            if self._definitions[at].kind in ("function", "method"):
                return True
            at = self._definitions[at].parent
        return False
