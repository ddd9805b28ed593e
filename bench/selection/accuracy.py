"""How far what is believed of solve rates is from the truth, beside the score alone."""

from dataclasses import dataclass

import numpy as np

from bench.selection.world import World, attempted, evenly
from featuredel.selection.outcomes import Counts, count
from featuredel.selection.pool import Bools, Floats, ScoredPool
from featuredel.selection.posterior import Posterior, fit, posterior


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Root mean squared errors of solve rates, and the share that 90 % intervals hold."""

    score: float  # before any outcome, all tasks
    levelled: float  # the same, with one shift of its log odds for all, the best there is
    tried: float  # of the task in the register that it was tried in
    shares: float  # the same, where the share of attempts that solved it is taken for the rate
    untried: float  # of tasks that nobody tried
    tried_held: float
    untried_held: float


def accuracy(world: World, tasks: int, attempts: int, skill: float, seed: int) -> Accuracy:
    """Return the errors after so many tasks were tried so often by a learner of this skill."""
    rng = np.random.default_rng(seed)
    pool, truth = world.pool, world.rates(skill)
    none = count(pool, ())
    before = posterior(pool, none, fit(pool, none))
    chosen = evenly(pool.offered, tasks, rng)
    counts = count(pool, attempted(world, *chosen, attempts, skill, rng))
    after = posterior(pool, counts, fit(pool, counts))
    tried = counts.attempts > 0
    untried = pool.offered.copy()
    untried[chosen[0]] = False
    return Accuracy(
        _error(before.mean, truth, pool.offered), _levelled(pool, truth),
        _error(after.mean, truth, tried),
        _error(_shares(counts), truth, tried), _error(after.mean, truth, untried),
        _held(after, truth, tried), _held(after, truth, untried),
    )  # fmt: skip


def _levelled(pool: ScoredPool, truth: Floats) -> float:
    shifted = (1 / (1 + np.exp(-pool.prior - shift)) for shift in np.arange(-8, 8, 0.05))
    return min(_error(rates, truth, pool.offered) for rates in shifted)


def _shares(counts: Counts) -> Floats:
    shares: Floats = counts.solved / np.maximum(counts.attempts, 1)
    return shares


def _error(believed: Floats, truth: Floats, where: Bools) -> float:
    return float(np.sqrt(np.mean((believed - truth)[where] ** 2)))


def _held(belief: Posterior, truth: Floats, where: Bools) -> float:
    low, high = belief.interval()
    return float(((low <= truth) & (truth <= high))[where].mean())
