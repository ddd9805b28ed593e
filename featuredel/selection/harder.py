"""Tasks that have become too easy, and what to give instead of them.

That is the same task with less said (a terser register), or one that holds it: a parent in the
lattice of the repository's features, of which more is deleted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from featuredel.model import Register
from featuredel.selection.choose import Band
from featuredel.selection.pool import REGISTERS, Bools, Pool
from featuredel.selection.posterior import Posterior

SURE = 0.9
"""How likely a rate must be above the band for a task to count as too easy."""

_NAMED = 3


How = Literal["less said", "more deleted"]


@dataclass(frozen=True, slots=True)
class Harder:
    """What to give instead, and the solve rate that is expected of it."""

    how: How
    task_id: str
    register: Register
    expected: float


@dataclass(frozen=True, slots=True)
class Outgrown:
    """A task that is too easy in a register, and harder ones, those nearest to the band first."""

    task_id: str
    repository: str
    register: Register
    expected: float
    harder: tuple[Harder, ...]  # empty: there is none that is not too easy as well


def too_easy(belief: Posterior, offered: Bools, band: Band) -> Bools:
    """Return which tasks are solved more often than the band wants, in which registers."""
    # a rate that is above a bound with probability p is p times the bound on the average, or more
    easy = offered & (belief.mean >= SURE * band.high)
    part = Posterior(belief.alpha[easy], belief.beta[easy])
    easy[easy] = part.above(band.high) >= SURE
    return easy


def outgrown(
    pool: Pool, belief: Posterior, allowed: Bools, easy: Bools, band: Band,
    parents: Mapping[str, Sequence[str]],
) -> tuple[Outgrown, ...]:  # fmt: skip
    """Return the tasks that are `allowed` and `easy`, the easiest first, with what is harder.

    `parents` are the tasks that hold another, by its id.
    """
    mean = belief.mean
    fit = pool.offered & ~easy
    tasks, registers = np.nonzero(allowed & easy)
    order = np.argsort(-mean[tasks, registers], kind="stable")
    held = sorted({parent for found in parents.values() for parent in found})
    places = dict(zip(held, pool.places(held).tolist(), strict=True))

    def options(task: int, register: int) -> Iterator[tuple[How, int, int]]:
        yield from (("less said", task, terser) for terser in range(register + 1, len(REGISTERS)))
        for parent in parents.get(str(pool.task_ids[task]), ()):
            if places[parent] >= 0:
                yield "more deleted", places[parent], register

    def harder(task: int, register: int) -> tuple[Harder, ...]:
        found = [
            Harder(how, str(pool.task_ids[t]), REGISTERS[r], round(float(mean[t, r]), 4))
            for how, t, r in options(task, register)
            if fit[t, r] and mean[t, r] < mean[task, register]
        ]
        centre = (band.low + band.high) / 2
        return tuple(sorted(found, key=lambda one: abs(one.expected - centre))[:_NAMED])

    return tuple(
        Outgrown(
            str(pool.task_ids[task]), str(pool.repositories[task]), REGISTERS[register],
            round(float(mean[task, register]), 4), harder(task, register),
        )
        for task, register in zip(tasks[order].tolist(), registers[order].tolist(), strict=True)
    )  # fmt: skip
