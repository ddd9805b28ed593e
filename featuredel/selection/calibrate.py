"""calibrate: difficulty and tier of a dataset's tasks, from what solvers made of them."""

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from featuredel import tables
from featuredel.errors import UsageError
from featuredel.model import CalibrationRow, Scores, Task
from featuredel.rewriting import rewritten
from featuredel.selection.outcomes import Counts, Outcome, count
from featuredel.selection.pool import REGISTERS, Pool, read_pool
from featuredel.selection.posterior import Posterior, fit, posterior
from featuredel.stages.score import tier_of
from featuredel.stages.write import write_tasks


@dataclasses.dataclass(frozen=True, slots=True)
class Calibrated:
    """What a calibration did."""

    attempts: int
    strangers: int  # attempts at tasks, or in registers, that the dataset has not
    tried: int  # tasks with outcomes
    tasks: int
    corrections: Mapping[str, float]  # to the score's log odds of a solve
    certainty: float  # attempts that an untried task's rate is worth
    tiers: Mapping[str, int]  # tasks by tier, after
    moved: int  # tasks of which the tier changed


def calibrate(
    dataset: str, outcomes: Sequence[Outcome], half_life: float | None = None
) -> Calibrated:
    """Write difficulty, tier and the table `calibration` of `dataset` anew, from outcomes alone.

    What an earlier calibration said counts for nothing: the outcomes given are all that there
    are. Raises `UsageError` if there are some, and none is of a task of the dataset.
    """
    tables.check_has_tasks(dataset)
    with _rewritten(dataset) as place:
        pool = read_pool(place)
        counts = counted(dataset, pool, outcomes, half_life)
        fitted = fit(pool, counts)
        belief = posterior(pool, counts, fitted)
        old = tuple(tables.read_tasks(place))
        new = [_recalibrated(*each) for each in zip(old, (1 - belief.mean).tolist(), strict=True)]
        write_tasks(place, new, calibration_rows(pool, counts, belief))
    return Calibrated(
        int(counts.attempts.sum()), counts.strangers, int((counts.attempts.sum(axis=1) > 0).sum()),
        len(new), fitted.corrections, fitted.certainty,
        dict(sorted(Counter(task.tier for task in new).items())),
        sum(one.tier != other.tier for one, other in zip(old, new, strict=True)),
    )  # fmt: skip


def counted(
    dataset: str, pool: Pool, outcomes: Sequence[Outcome], half_life: float | None
) -> Counts:
    """Return the counts of outcomes. Raises `UsageError` if there are some, and none is of it."""
    counts = count(pool, outcomes, half_life)
    if counts.strangers and not counts.attempts.any():
        raise UsageError(
            f"{dataset}: none of the {counts.strangers} outcomes is of a task of this dataset in a"
            f" register that it has, such as {outcomes[0].task_id!r}; give the outcomes of this one"
        )
    return counts


def calibration_rows(pool: Pool, counts: Counts, belief: Posterior) -> tuple[CalibrationRow, ...]:
    """Return what the table `calibration` says: a row for each task and register that it has."""
    low, high = belief.interval()
    tasks, registers = np.nonzero(pool.offered)
    values = (counts.attempts, counts.solved, belief.alpha, belief.beta, belief.mean, low, high)
    return tuple(
        CalibrationRow(str(repository), str(task_id), REGISTERS[register], *rest)
        for repository, task_id, register, *rest in zip(
            pool.repositories[tasks], pool.task_ids[tasks], registers,
            *(value[tasks, registers].tolist() for value in values), strict=True,
        )
    )  # fmt: skip


def _recalibrated(task: Task, difficulty: Sequence[float]) -> Task:
    scores = Scores(*(round(value, 4) for value in difficulty))
    return dataclasses.replace(task, difficulty=scores, tier=tier_of(scores.full))


@contextlib.contextmanager
def _rewritten(dataset: str) -> Iterator[str]:
    """Yield where to write a dataset anew; on this machine it changes at one stroke."""
    folder = tables.local_folder(dataset)
    if folder is None:
        yield dataset
        return
    with rewritten(folder) as place:
        try:
            yield str(place)
        except UsageError as error:  # of the copy, which will be gone
            raise UsageError(str(error).replace(str(place), dataset)) from error
