"""A batch near a wished solve rate: what a draw from each posterior puts into the band.

Thompson sampling (Thompson 1933, Biometrika 25:285): a rate is drawn from each posterior, and the
draws decide as if they were the truth. A task is taken as often as it is likely to be in the band,
and one that little is known of gets its chance. A share of the batch is besides given to what is
least known.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from featuredel.model import Register
from featuredel.selection.pool import REGISTERS, Bools, Floats, Pool
from featuredel.selection.posterior import Posterior

Why = Literal["in band", "nearest", "explored"]


@dataclass(frozen=True, slots=True)
class Pick:
    """A task to be given, in a register, with the solve rate that is expected, and why."""

    task_id: str
    repository: str
    register: Register
    expected: float
    low: float  # 5th and 95th percentile of the rate
    high: float
    why: Why


@dataclass(frozen=True, slots=True)
class Band:
    """Solve rates that are wished, both ends inclusive."""

    low: float
    high: float

    def distance(self, rates: Floats) -> Floats:
        """Return how far rates are from the band, 0 within it."""
        return np.maximum(0.0, np.maximum(self.low - rates, rates - self.high))


def choose(
    pool: Pool, belief: Posterior, allowed: Bools, band: Band, n: int, seed: int,
    explore: float = 0.1,
) -> tuple[Pick, ...]:  # fmt: skip
    """Return `n` tasks, or all that there are, each in one register that is `allowed`.

    The share `explore` goes to those of the widest posterior. Repositories take turns.
    """
    rng = np.random.default_rng(seed)
    owner = np.unique(pool.repositories, return_inverse=True)[1]
    noise = rng.random(allowed.shape)
    # equally wide ones, such as all that nobody tried and that score alike, are left to chance
    narrow = np.where(allowed, 1e-9 * noise - belief.deviation, np.inf)
    tasks = _in_turns(narrow.min(axis=1), owner, round(explore * n))
    picks = _picks(pool, belief, tasks, narrow.argmin(axis=1)[tasks], "explored")

    free = allowed.copy()
    free[tasks] = False
    off = band.distance(rng.beta(belief.alpha, belief.beta))
    # which of those within the band is left to chance as well
    order = np.where(free, np.where(off == 0.0, noise - 1.0, off), np.inf)
    best, register = order.min(axis=1), order.argmin(axis=1)
    tasks = _in_turns(np.where(best < 0.0, best, np.inf), owner, n - len(picks))
    picks += _picks(pool, belief, tasks, register[tasks], "in band")

    outside = np.flatnonzero((best >= 0.0) & (best < np.inf))
    tasks = outside[np.argsort(best[outside])][: n - len(picks)]
    return (*picks, *_picks(pool, belief, tasks, register[tasks], "nearest"))


def _in_turns(order: Floats, owner: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Return the first `n` by `order`, one of each owner after the other; infinite is none."""
    there = np.flatnonzero(order < np.inf)
    ranked = there[np.lexsort((order[there], owner[there]))]
    _, first, sizes = np.unique(owner[ranked], return_index=True, return_counts=True)
    turn = np.arange(len(ranked)) - np.repeat(first, sizes)
    return ranked[np.lexsort((order[ranked], turn))][:n]


def _picks(
    pool: Pool, belief: Posterior, tasks: NDArray[np.intp], registers: NDArray[np.intp], why: Why
) -> list[Pick]:
    part = Posterior(belief.alpha[tasks, registers], belief.beta[tasks, registers])
    low, high = part.interval()
    return [
        Pick(
            str(pool.task_ids[task]), str(pool.repositories[task]), REGISTERS[register],
            round(float(mean), 4), round(float(least), 4), round(float(most), 4), why,
        )
        for task, register, mean, least, most in zip(
            tasks, registers, part.mean, low, high, strict=True
        )
    ]  # fmt: skip
