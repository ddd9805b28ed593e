"""Predictions in, rewards out: each grading is a job, and is told as it ends."""

import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import distributed
from distributed import Client

from featuredel.jobs import grade_job
from featuredel.run.cluster import AHEAD, Job, connected, interruptible
from featuredel.tasks.predictions import Prediction
from featuredel.tasks.rewards import Graded


@dataclass(frozen=True, slots=True)
class Grader:
    """Where and with what to grade. With a scheduler, paths are its workers'."""

    dataset: str
    sandbox: str = "auto"
    base_image: str = ""
    work: Path | None = None
    scheduler: str | None = None
    workers: int = 1


def grade_batch(
    predictions: Iterable[Prediction], grader: Grader, tell: Callable[[Prediction, Graded], None]
) -> bool:
    """Grade predictions and call `tell` with each as it ends; return False if Ctrl-C ended it.

    Raises `InfrastructureError` if the workers cannot be had.
    """
    with interruptible(), connected(grader.scheduler, grader.workers) as client:
        jobs: dict[Job, Prediction] = {}
        try:
            for job in _completed(client, grader, iter(predictions), jobs):
                tell(jobs.pop(job), _graded(job))
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the workers are being ended
            client.cancel(list(jobs))
            return False
    return True


def _completed(
    client: Client, grader: Grader, waiting: Iterator[Prediction], jobs: dict[Job, Prediction]
) -> Iterator[Job]:
    """Yield jobs as they end, and hand out as many more; `jobs` are those handed out."""
    flow = distributed.as_completed(loop=client.loop)

    def hand_out(number: int) -> None:
        for prediction in islice(waiting, number):
            job = client.submit(
                grade_job, grader.dataset, prediction.instance_id, prediction.patch_bytes,
                grader.sandbox, grader.base_image, grader.work, pure=False,
            )  # fmt: skip
            jobs[job] = prediction
            flow.add(job)

    hand_out(AHEAD * max(1, len(client.nthreads())))
    for job in flow:
        hand_out(1)
        yield job


def _graded(job: Job) -> Graded:
    if job.status == "finished":
        graded: Graded = job.result()
        return graded
    error: Any = job.exception()  # a worker that died, say
    return Graded(None, f"{type(error).__name__}: {error}")
