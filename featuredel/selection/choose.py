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
    _, owner = np.unique(pool.repositories, return_inverse=True)
    free = allowed.any(axis=1)
    width = np.where(allowed, belief.deviation, -1.0)
    chosen: list[tuple[NDArray[np.intp], NDArray[np.intp], Why]] = []

    def take(tasks: NDArray[np.intp], registers: NDArray[np.intp], why: Why) -> None:
        free[tasks] = False
        chosen.append((tasks, registers[tasks], why))

    widest = width.max(axis=1, initial=-1.0)
    wide = np.where(free, -widest + 1e-9 * rng.random(len(widest)), np.inf)
    take(_in_turns(wide, owner, round(explore * n)), width.argmax(axis=1), "explored")

    off = band.distance(rng.beta(belief.alpha, belief.beta))
    # which of those within the band is left to chance; the others wait, the nearest first
    order = np.where(off == 0.0, rng.random(off.shape) - 1.0, off)
    order = np.where(allowed & free[:, None], order, np.inf)
    best, register = order.min(axis=1, initial=np.inf), order.argmin(axis=1)
    take(_in_turns(np.where(best < 0, best, np.inf), owner, n - len(chosen[0][0])), register,
         "in band")  # fmt: skip
    rest = np.flatnonzero(free & (best < np.inf))
    missing = n - sum(len(tasks) for tasks, _, _ in chosen)
    take(rest[np.argsort(best[rest], kind="stable")[:missing]], register, "nearest")
    return tuple(
        pick for part in chosen for pick in _picks(pool, belief, *part)
    )


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
            *(round(float(value), 4) for value in rates), why,
        )
        for task, register, *rates in zip(tasks, registers, part.mean, low, high, strict=True)
    ]  # fmt: skip
