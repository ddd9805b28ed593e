"""The reward of what a model wrote, in the forms that trainers call for.

    compute_score(data_source, solution_str, ground_truth, extra_info) -> float     VeRL
    grader(prompts, completions, extra_info, reward_model) -> float or None, each   TRL

Both take the diff out of a completion and grade it as `Task.grade` does, in a sandbox of the
machine that calls them. The rows are those of `featuredel export prompts`. The dataset is where
`dataset` says; else where the variable FEATUREDEL_DATASET says; else where the row says.
"""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import Any

from featuredel import tables
from featuredel.api import Dataset, Task, load
from featuredel.completions import diff_in
from featuredel.errors import InfrastructureError, UsageError
from featuredel.monitor.readers.tools import text_of

DATASET_VARIABLE = "FEATUREDEL_DATASET"

Completion = str | Sequence[Mapping[str, Any]]
"""What a model wrote, or the messages of which the last one is."""

_log = logging.getLogger(__name__)


def compute_score(
    data_source: str,  # noqa: ARG001 -- a trainer gives it
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    *,
    dataset: str = "",
    sandbox: str = "auto",
    base_image: str = "",
    work: str | None = None,
    **_: Any,
) -> float:
    """Return the reward of a completion, in [0, 1]; 0 where it holds no diff that applies.

    `ground_truth` is the id of the task; what else is given is as for `featuredel.load`. Raises
    `UsageError` where there is no such task or dataset, and `InfrastructureError` if this machine
    could not grade it, which is no verdict.
    """
    where: dict[str, Any] = {"sandbox": sandbox, "base_image": base_image, "work": work}
    task = task_at(ground_truth, dataset, extra_info or {}, **where)
    diff = diff_in(solution_str)
    return task.grade(diff).reward if diff else 0.0


def grader(
    prompts: Sequence[Any],  # noqa: ARG001 -- a trainer gives them
    completions: Sequence[Completion],
    extra_info: Sequence[Mapping[str, Any]],
    reward_model: Sequence[Mapping[str, Any]],
    *,
    dataset: str = "",
    sandbox: str = "auto",
    base_image: str = "",
    work: str | None = None,
    workers: int = 0,
    **_: Any,
) -> list[float | None]:
    """Return the reward of each completion, as `compute_score` gives it.

    It is None where that raises `InfrastructureError`, which is logged. So many as `workers` are
    graded at once; 0 stands for one a core. What else a trainer gives is not looked at.
    """
    where: dict[str, Any] = {"sandbox": sandbox, "base_image": base_image, "work": work}
    gradings = [
        partial(
            compute_score, "", _text(written), model["ground_truth"], info, dataset=dataset, **where
        )
        for written, model, info in zip(completions, reward_model, extra_info, strict=True)
    ]
    return at_once(gradings, workers)


def at_once(gradings: Sequence[Callable[[], float]], workers: int = 0) -> list[float | None]:
    """Return what each grading gives, in their order, so many as `workers` at once.

    It is None for one that raises `InfrastructureError`, which is logged.
    """
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        return [_reward(one) for one in [pool.submit(grading) for grading in gradings]]


def _reward(grading: Future[float]) -> float | None:
    try:
        return grading.result()
    except InfrastructureError as error:
        _log.warning("no reward, as a completion could not be graded: %s", error)
        return None


def _text(completion: Completion) -> str:
    return completion if isinstance(completion, str) else text_of([*completion][-1:])


def task_at(task_id: str, dataset: str, extra_info: Mapping[str, Any], **where: Any) -> Task:
    """Return the task of a row, from the dataset that `dataset_at` gives.

    Raises `UsageError` where there is no such task or dataset.
    """
    tasks = dataset_at(dataset, str(extra_info.get("dataset") or ""), **where)
    if task_id not in tasks:
        raise UsageError(f"{tasks.location}: no task {task_id!r}; the prompts are of another")
    return tasks[task_id]


def dataset_at(
    dataset: str = "",
    said: str = "",
    *,
    sandbox: str = "auto",
    base_image: str = "",
    work: str | None = None,
) -> Dataset:
    """Return the dataset in the place that was asked for, or the variable names, or was `said`.

    It is loaded once in a process. Raises `UsageError` where there is no place or no dataset.
    """
    place = dataset or os.environ.get(DATASET_VARIABLE) or said
    if not place:
        raise UsageError(f"where is the dataset? give `dataset`, or set {DATASET_VARIABLE}")
    return _loaded(tables.located(place), sandbox, base_image, work)


@cache
def _loaded(dataset: str, sandbox: str, base_image: str, work: str | None) -> Dataset:
    return load(dataset, sandbox=sandbox, base_image=base_image, work=work)
