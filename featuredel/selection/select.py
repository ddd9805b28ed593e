"""select: a batch near a wished solve rate, and what to give instead of what is too easy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featuredel import tables
from featuredel.errors import UsageError
from featuredel.model import Register
from featuredel.selection.calibrate import counted
from featuredel.selection.choose import Band, Pick, choose
from featuredel.selection.harder import Outgrown, outgrown, too_easy
from featuredel.selection.outcomes import Outcome, count
from featuredel.selection.pool import REGISTERS, Pool, read_pool
from featuredel.selection.posterior import Posterior, fit, posterior


@dataclass(frozen=True, slots=True)
class Selection:
    """A batch, the tasks that have become too easy, and what there is to know of both."""

    picks: tuple[Pick, ...]
    too_easy: tuple[Outgrown, ...]
    notes: tuple[str, ...]


def select(
    dataset: str, band: Band, n: int, seed: int, *, outcomes: Sequence[Outcome] | None = None,
    half_life: float | None = None, register: Register | None = None, explore: float = 0.1,
) -> Selection:  # fmt: skip
    """Return `n` tasks of `dataset` for which a solve rate in `band` is likely.

    What is believed of them comes from `outcomes`; without, from the dataset's calibration, and
    where that says nothing from the score. With `register`, tasks are given in no other.
    """
    if outcomes is None:
        pool, belief, notes = _by_calibration(dataset)
    else:
        pool, belief, notes = _by_outcomes(dataset, outcomes, half_life)
    allowed = pool.offered.copy()
    if register is not None:
        allowed[:, [name != register for name in REGISTERS]] = False
    picks = choose(pool, belief, allowed, band, n, seed, explore)
    if len(picks) < n:
        where = f" in the register {register}" if register else ""
        notes += [f"{n} are wished, and there are {len(picks)} tasks{where}: all are given"]
    easy = too_easy(belief, pool.offered, band)
    parents = _parents(dataset, pool.task_ids[(easy & allowed).any(axis=1)].tolist())
    return Selection(picks, outgrown(pool, belief, allowed, easy, band, parents), tuple(notes))


def _by_outcomes(
    dataset: str, outcomes: Sequence[Outcome], half_life: float | None
) -> tuple[Pool, Posterior, list[str]]:
    """Return the tasks, what outcomes say of them, and what a user should know of that."""
    pool = read_pool(dataset)
    counts = counted(dataset, pool, outcomes, half_life)
    strangers = counts.strangers
    told = f"{strangers} outcomes are of tasks or registers that the dataset has not"
    return pool, posterior(pool, counts, fit(pool, counts)), [told] if strangers else []


def _by_calibration(dataset: str) -> tuple[Pool, Posterior, list[str]]:
    """Return the same by the table `calibration`, and by the score where it has no row."""
    tables.check_has_tasks(dataset)
    columns = ["task_id", "repository", "register", "alpha", "beta"]
    rated = tables.read_arrays(dataset, "calibration", columns)
    _check_rated(dataset, rated)
    task_ids = tables.read_arrays(dataset, "tasks", ["task_id"])["task_id"].astype(np.str_)
    offered = np.zeros((len(task_ids), len(REGISTERS)), dtype=np.bool_)
    owners = np.full(len(task_ids), "", dtype=np.object_)
    places = Pool(task_ids, task_ids, offered).places(rated["task_id"])
    known = places >= 0
    tasks, registers = places[known], _registers(rated["register"][known])
    offered[tasks, registers] = True
    owners[tasks] = rated["repository"][known]
    missing = int((~offered.any(axis=1)).sum())
    pool: Pool
    if missing:
        scored = read_pool(dataset)
        counts = count(scored, ())
        pool, belief = scored, posterior(scored, counts, fit(scored, counts))
    else:  # the score's columns, which are most of what there is to read, say nothing more
        pool = Pool(task_ids, owners.astype(np.str_), offered)
        belief = Posterior(np.ones(offered.shape), np.ones(offered.shape))
    belief.alpha[tasks, registers] = rated["alpha"][known]
    belief.beta[tasks, registers] = rated["beta"][known]
    told = (
        f"not calibrated are {missing} of {len(task_ids)} tasks: what is expected of them is the"
        " score's guess"
    )
    return pool, belief, [told] if missing else []


def _check_rated(dataset: str, rated: Mapping[str, NDArray[Any]]) -> None:
    strange = set(rated["register"].tolist()) - set(REGISTERS)
    shapes = np.concatenate([rated["alpha"], rated["beta"]])
    if strange or not (np.isfinite(shapes) & (shapes > 0)).all():
        raise UsageError(f"{dataset}: calibration/ is damaged; `featuredel calibrate` writes it")


def _registers(names: NDArray[np.object_]) -> NDArray[np.intp]:
    """Return the places of these in REGISTERS."""
    found, codes = np.unique(names.astype(np.str_), return_inverse=True)
    return np.array([REGISTERS.index(name) for name in found.tolist()], dtype=np.intp)[codes]


def _parents(dataset: str, task_ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the tasks that hold each of these."""
    wanted = frozenset(task_ids)
    if not wanted:
        return {}
    rows = tables.read_columns(dataset, "tasks", ["task_id", "parents"])
    return {task_id: parents for task_id, parents in rows if task_id in wanted and parents}
