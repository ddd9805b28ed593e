"""A learner in training: batches by select beside batches drawn evenly."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.selection.world import Places, World, attempted, evenly
from featuredel.selection.choose import Band, choose
from featuredel.selection.outcomes import Outcome, count
from featuredel.selection.pool import REGISTERS
from featuredel.selection.posterior import fit, posterior

BAND = Band(0.2, 0.8)


@dataclass(frozen=True, slots=True)
class Setting:
    """How a training goes."""

    band: Band = BAND
    epochs: int = 48
    batch: int = 64
    attempts: int = 8  # at each task of a batch
    start: float = -2.0  # skill, in log odds
    gain: float = 0.45  # of skill, by a batch of which every attempt is a solve in the band
    half_life: float | None = 512.0  # the attempts of a batch
    explore: float = 0.1


@dataclass(frozen=True, slots=True)
class Epoch:
    """One batch: how much of it was solved, how much of it was truly in the band, the skill."""

    solved: float
    in_band: float
    skill: float


def train(
    world: World, setting: Setting, seed: int, *, chosen: bool, skills: Sequence[float] = ()
) -> list[Epoch]:
    """Return the epochs of a training with batches that are chosen, or drawn evenly.

    The learner gains by what it solves in the band; with `skills`, its skill is what they say.
    """
    rng = np.random.default_rng(seed)
    outcomes: list[Outcome] = []
    epochs: list[Epoch] = []
    skill = setting.start
    for number in range(setting.epochs):
        skill = skills[number] if skills else skill
        if chosen:
            tasks, registers = _chosen(world, outcomes, setting, int(rng.integers(1 << 31)))
        else:
            tasks, registers = evenly(world.pool.offered, setting.batch, rng)
        new = attempted(world, tasks, registers, setting.attempts, skill, rng)
        outcomes += new
        within = setting.band.distance(world.rates(skill)[tasks, registers]) == 0
        solved = np.array([outcome.solved for outcome in new]) / setting.attempts
        epochs.append(Epoch(float(solved.mean()), float(within.mean()), skill))
        skill += setting.gain * float((solved * within).mean())
    return epochs


def _chosen(
    world: World, outcomes: Sequence[Outcome], setting: Setting, seed: int
) -> tuple[Places, Places]:
    """Return the tasks that select gives after these outcomes, and their registers."""
    pool = world.pool
    counts = count(pool, outcomes, setting.half_life)
    belief = posterior(pool, counts, fit(pool, counts))
    batch = setting.band, setting.batch, seed, setting.explore
    picks = choose(pool, belief, pool.offered, *batch)
    tasks = pool.places([pick.task_id for pick in picks])
    return tasks, np.array([REGISTERS.index(pick.register) for pick in picks])
