"""A simulated world: tasks like those of a dataset, their true hardness, and a learner."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from featuredel.selection.outcomes import Outcome
from featuredel.selection.pool import COLUMNS, REGISTERS, Bools, Floats, ScoredPool, pool_of

Places = NDArray[np.intp]

REPOSITORIES = 40
OFFERED = (1.0, 0.8, 0.9)
"""How many tasks have a statement in each register."""

_SCALE = 0.5  # a column's true weight is the score's times a draw of log-normal spread
_SHIFT = 0.3  # of the registers against the score's, standard deviation
_NOISE = 1.0  # of a task's hardness that no column tells, in log odds


@dataclass(frozen=True, slots=True)
class World:
    """Tasks and what only the simulation knows: how hard each is, in log odds."""

    pool: ScoredPool
    hardness: Floats  # task, register

    def rates(self, skill: float) -> Floats:
        """Return how often a learner of this skill solves each task in each register (IRT)."""
        rates: Floats = 1 / (1 + np.exp(self.hardness - skill))
        return rates


def world(like: ScoredPool, tasks: int, rng: np.random.Generator) -> World:
    """Return a world of `tasks` tasks whose columns are spread like those of a dataset's tasks.

    The logarithms of its columns are drawn from the normal distribution with the mean and the
    covariance of the dataset's. Hardness goes by the columns, with other weights than the score
    has, and with noise.
    """
    logs = rng.multivariate_normal(
        like.columns.mean(axis=0), np.cov(like.columns.T) + 1e-9 * np.eye(len(COLUMNS)), tasks
    )
    found = {
        name: np.maximum(0, np.rint(2 ** logs[:, place] - 1)).astype(np.int64)
        for place, name in enumerate(COLUMNS[:-1])
    }
    strength = np.clip(logs[:, -1] + 0.5, 0, 1)
    ids = np.array([f"{number:016x}" for number in rng.permutation(tasks)])
    repositories = np.array([f"r{number:02d}" for number in rng.integers(REPOSITORIES, size=tasks)])
    offered = rng.random((tasks, len(REGISTERS))) < OFFERED
    pool = pool_of(
        {**found, "reward_strength": strength, "task_id": ids, "repository": repositories}, offered
    )
    return World(pool, _hardness(pool, rng))


def _hardness(pool: ScoredPool, rng: np.random.Generator) -> Floats:
    centred = pool.columns - pool.columns.mean(axis=0)
    weights = np.linalg.lstsq(centred, -(pool.prior - pool.prior.mean(axis=0))[:, 0])[0]
    weights *= np.exp(_SCALE * rng.standard_normal(len(weights)))
    shifts = -(pool.prior[0] - pool.prior[0, 0]) + _SHIFT * rng.standard_normal(len(REGISTERS))
    own = _NOISE * rng.standard_normal(len(centred))
    hardness: Floats = (centred @ weights + own)[:, None] + shifts
    return hardness


def attempted(
    world: World, tasks: Places, registers: Places, attempts: int, skill: float,
    rng: np.random.Generator,
) -> list[Outcome]:  # fmt: skip
    """Return what a learner makes of tasks, each tried so often."""
    solved = rng.binomial(attempts, world.rates(skill)[tasks, registers])
    return [
        Outcome(str(world.pool.task_ids[task]), int(register), attempts, int(won))
        for task, register, won in zip(tasks, registers, solved, strict=True)
    ]


def evenly(offered: Bools, n: int, rng: np.random.Generator) -> tuple[Places, Places]:
    """Return `n` tasks and a register of each, drawn evenly."""
    tasks = rng.choice(len(offered), n, replace=False)
    registers = np.where(offered[tasks], rng.random((n, len(REGISTERS))), -1.0).argmax(axis=1)
    return tasks, registers
