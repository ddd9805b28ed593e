"""The tasks of a dataset as arrays: what calibration and selection need to know of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from featuredel import tables
from featuredel.model import Register
from featuredel.stages import score

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Texts = NDArray[np.str_]

REGISTERS: tuple[Register, ...] = get_args(Register)
COLUMNS = (*score.WEIGHTS, "reward_strength")


@dataclass(frozen=True, slots=True)
class Pool:
    """Tasks, in the order of their files, in registers."""

    task_ids: Texts
    repositories: Texts
    offered: Bools  # task, register: has a statement in it

    def places(self, task_ids: Sequence[str] | Texts) -> NDArray[np.intp]:
        """Return where each of these tasks stands, -1 for one that is not among them."""
        wanted = np.asarray(task_ids, dtype=np.str_)
        if not len(self.task_ids):
            return np.full(len(wanted), -1, dtype=np.intp)
        order = np.argsort(self.task_ids)
        at = np.searchsorted(self.task_ids, wanted, sorter=order)
        found = order[np.minimum(at, len(order) - 1)]
        return np.where(self.task_ids[found] == wanted, found, -1)


@dataclass(frozen=True, slots=True)
class ScoredPool(Pool):
    """Tasks with what the score says of them before any outcome."""

    columns: Floats  # task, column of COLUMNS: log2(1 + count); strength of the tests, -0.5 to 0.5
    prior: Floats  # task, register: log odds of a solve


def read_pool(dataset: str) -> ScoredPool:
    """Return the tasks of a dataset. Raises `UsageError` if there is none."""
    tables.check_has_tasks(dataset)
    found = tables.read_arrays(dataset, "tasks", ["task_id", "repository", *COLUMNS])
    statements = [f"statement_{register}" for register in REGISTERS]
    offered = np.array(list(tables.read_filled(dataset, "tasks", statements)), dtype=np.bool_)
    return pool_of(found, offered.reshape(-1, len(REGISTERS)))


def pool_of(found: dict[str, Any], offered: Bools) -> ScoredPool:
    """Return the pool of tasks with these columns of the table `tasks`, as numpy arrays."""
    strength = np.nan_to_num(found["reward_strength"].astype(np.float64), nan=0.5) - 0.5
    counts = [np.log2(1.0 + found[name]) for name in score.WEIGHTS]
    columns = np.column_stack([*counts, strength])
    weights = np.array([*score.WEIGHTS.values(), score.STRENGTH])
    shifts = np.array([score.REGISTERS[register] for register in REGISTERS])
    hardness = score.BIAS + np.einsum("tc,c", columns, weights)[:, None] + shifts
    return ScoredPool(
        found["task_id"].astype(np.str_), found["repository"].astype(np.str_), offered, columns,
        -hardness,
    )  # fmt: skip
