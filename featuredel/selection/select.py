"""select: a batch near a wished solve rate, and what to give instead of what is too easy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from featuredel import tables
from featuredel.model import Register
from featuredel.selection.calibrate import counted
from featuredel.selection.choose import Band, Pick, choose
from featuredel.selection.harder import Outgrown, outgrown, too_easy
from featuredel.selection.outcomes import Outcome
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
    pool = read_pool(dataset)
    belief, notes = _belief(dataset, pool, outcomes, half_life)
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


def _belief(
    dataset: str, pool: Pool, outcomes: Sequence[Outcome] | None, half_life: float | None
) -> tuple[Posterior, list[str]]:
    """Return the posteriors, and what a user should know of where they come from."""
    counts = counted(dataset, pool, outcomes or (), half_life)
    belief = posterior(pool, counts, fit(pool, counts))
    if outcomes is not None:
        strangers = counts.strangers
        told = f"{strangers} outcomes are of tasks or registers that the dataset has not"
        return belief, [told] if strangers else []
    columns = ["task_id", "register", "alpha", "beta"]
    rated = tables.read_arrays(dataset, "calibration", columns)
    names, codes = np.unique(rated["register"].astype(np.str_), return_inverse=True)
    registers = np.array([REGISTERS.index(name) for name in names.tolist()], dtype=np.intp)[codes]
    tasks = pool.places(rated["task_id"])
    known = tasks >= 0
    at = tasks[known], registers[known]
    belief.alpha[at], belief.beta[at] = rated["alpha"][known], rated["beta"][known]
    unrated = pool.offered.copy()
    unrated[at] = False
    missing, all_tasks = int(unrated.any(axis=1).sum()), len(pool.task_ids)
    told = (
        f"not calibrated are {missing} of {all_tasks} tasks: what is expected of them is the"
        " score's guess"
    )
    return belief, [told] if missing else []


def _parents(dataset: str, task_ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the tasks that hold each of these."""
    wanted = frozenset(task_ids)
    if not wanted:
        return {}
    rows = tables.read_columns(dataset, "tasks", ["task_id", "parents"])
    return {task_id: parents for task_id, parents in rows if task_id in wanted and parents}
