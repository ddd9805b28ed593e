"""What the figures come to: each a number that a person can read, from what was measured."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean, median

from bench.speed.measure import Measured
from bench.speed.screening import Screening
from bench.speed.suites import Suite
from bench.speed.tasks import Arm
from bench.speed.verdicts import differing

SCREENING = frozenset(
    {"screen", "narrow", "validate/before and gold", "validate/visible suite"}
)  # fmt: skip
"""Parts that find F2P and confirm it on the exact tree, the run with gold among them."""

GATES = "validate"
"""The stage of all other gates."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The cost of one candidate, in CPU seconds."""

    cold_s: float
    single_s: float  # screened one by one; what was told wrong counts for nothing
    groups_s: float
    discover_s: float
    delete_s: float  # the median

    @property
    def times(self) -> tuple[float, float]:
        """How much faster than a cold run: one by one, and in groups."""
        return _ratio(self.cold_s, self.single_s), _ratio(self.cold_s, self.groups_s)


@dataclass(frozen=True, slots=True)
class PerTask:
    """The cost of an accepted task, all rejected candidates included, in CPU seconds."""

    accepted: int
    tried: int
    screening_s: float  # and confirmation
    gates_s: float  # and every other gate
    whole_s: float  # and deletion, description, scores
    peers_s: float  # a cold run for each candidate that was tried
    wall_s: float  # of all stages


def candidates(measured: Measured) -> Candidates:
    """Return what a candidate costs."""
    number = len(measured.made.names)

    def each(screening: Screening) -> float:
        equal = 1 - len(differing(measured, screening)) / max(len(measured.cold), 1)
        return _ratio(screening.cpu_s, number * equal)

    return Candidates(
        cold_s=cold_s(measured),
        single_s=each(measured.single),
        groups_s=each(measured.groups),
        discover_s=_ratio(measured.made.discover_s, number),
        delete_s=median(measured.made.delete_s),
    )


def cold_s(measured: Measured) -> float:
    """Return the mean of the cold runs that came to their end."""
    return _mean(cold.cpu_s for cold in measured.cold.values() if not cold.cut)


def cold_wall_s(measured: Measured) -> float:
    """Return the same of their wall seconds."""
    return _mean(cold.wall_s for cold in measured.cold.values() if not cold.cut)


def per_task(arm: Arm, peers_s: float) -> PerTask:
    """Return what an accepted task costs, where a candidate costs the peers so much."""
    spent: dict[str, float] = {}
    for one in arm.forged:
        for part, cpu_s in one.spent.items():
            spent[part] = spent.get(part, 0.0) + cpu_s
    accepted = len(arm.accepted)
    tried = sum(one.tried for one in arm.forged)
    screening = sum(s for part, s in spent.items() if part in SCREENING)
    others = sum(
        s for part, s in spent.items() if part not in SCREENING and part.startswith(GATES)
    )  # fmt: skip
    whole = sum(spent.values())
    # what was wasted is told by no stage: it counts in full for each of the sums
    sums = (s + arm.wasted_s for s in (screening, screening + others, whole))
    each = [_ratio(s, accepted) for s in sums]
    wall_s = sum(one.wall_s for one in arm.forged)
    return PerTask(
        accepted, tried, each[0], each[1], each[2], _ratio(peers_s * tried, accepted),
        _ratio(wall_s, accepted),
    )  # fmt: skip


def map_ratio(suite: Suite) -> float:
    """Return what the run with the map costs in runs of the plain suite."""
    return _ratio(suite.map_cpu_s, suite.cpu_s)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return mean(found) if found else float("nan")


def _ratio(one: float, other: float) -> float:
    return one / other if other else float("inf")
