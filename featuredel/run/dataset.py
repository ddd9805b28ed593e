"""Repositories in, a dataset out: fan-out, resume and stopping.

Candidates of a repository are decided in canonical order: as soon as the first ones in that order
have given enough tasks, the rest is not tried, and what was tried beyond that point is not
counted. So the same tasks come out however many workers there were, and however often the run was
interrupted.
"""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import distributed
from distributed import Client

from featuredel import jobs
from featuredel.config import Config, RepositorySpec
from featuredel.errors import FeaturedelError, UsageError
from featuredel.gates.visible import DISAGREED, disagreed
from featuredel.model import Cost, Feature, Form, Rejection, Task
from featuredel.pipeline import ForgeResult
from featuredel.progress import Board, Display, Line
from featuredel.run.cluster import AHEAD, Job, connected, interruptible
from featuredel.scratch import sweep
from featuredel.stages.write import Content, select, was_tried, write

_TOPIC = "featuredel"
TOGETHER = 12
"""Candidates that are screened at once, unless so many are not needed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What did not finish, and so is not in the dataset."""

    what: str
    usage: bool  # the user can mend it; else a machine or a network failed


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    board: Board
    failures: tuple[Failure, ...]
    interrupted: bool
    written: bool  # not where no repository came to an end


def run(
    config: Config, dataset: str, work: Path, display: Display, *,
    scheduler: str | None = None, workers: int = 1,
) -> Outcome:  # fmt: skip
    """Turn the repositories of `config` into tasks and write them to `dataset`.

    With `scheduler`, the address of a running dask scheduler, its workers do the work; else
    `workers` local processes do. What is finished when the user interrupts is written.
    Raises `InfrastructureError` if the scheduler cannot be reached.
    """
    with interruptible(), connected(scheduler, workers) as client:
        outcome = _Run(client, config, dataset, work, display, near=scheduler is None).go()
    sweep(work)  # what the workers, if they were this machine's, could not clear away
    return outcome


def _tell(repository: str, subject: str, stage: str) -> None:
    distributed.get_worker().log_event(_TOPIC, (repository, subject, stage))


@dataclass(slots=True)
class _Repository:
    """Where the candidates of one repository stand."""

    spec: RepositorySpec
    mined: Job
    ready: bool = False  # its candidates are known
    ended: bool = False  # and what became of them
    rejection: Rejection | None = None
    costs: tuple[Cost, ...] = ()
    candidates: list[tuple[int, Form]] = field(default_factory=list)
    handed_out: int = 0
    prepared: dict[int, Job] = field(default_factory=dict)  # by the first of those in it
    forged: dict[int, ForgeResult] = field(default_factory=dict)
    failed: set[int] = field(default_factory=set)
    audits: list[Rejection] = field(default_factory=list)  # that found what was missed
    rounds: int = 0  # begun anew so often

    def take(self, summary: jobs.Summary) -> None:
        features: tuple[Feature, ...] = summary.features
        forms = self.spec.settings.forms
        self.candidates = [(i, form) for i in range(len(features)) for form in forms]
        self.rejection, self.costs, self.ready = summary.rejection, summary.costs, True

    def decided(self) -> tuple[list[ForgeResult], list[Task], bool]:
        """Return the results that count, in canonical order, their tasks, and if that is all."""
        settings = self.spec.settings
        counted: list[ForgeResult] = []
        tasks: list[Task] = []
        tried = 0
        for number in range(len(self.candidates)):
            enough = len(self.selected(tasks)[0]) >= settings.max_tasks
            if enough or tried >= settings.max_candidates:
                return counted, tasks, True
            if number in self.forged:
                result = self.forged[number]
                counted.append(result)
                tried += was_tried(result.rejection)
                tasks += [task for task in [result.task] if task is not None]
            elif number not in self.failed:
                return counted, tasks, False
        return counted, tasks, self.ready

    def confirm_in_full(self) -> None:
        """Begin anew with what a candidate costs most, since less did not do."""
        counted, _, _ = self.decided()
        self.audits += [r.rejection for r in counted if r.rejection and disagreed(r.rejection)]
        self.spec = replace(self.spec, settings=replace(self.spec.settings, confirm="full"))
        self.handed_out, self.forged, self.failed, self.ended = 0, {}, set(), False
        self.rounds += 1

    def selected(self, tasks: list[Task]) -> tuple[list[Task], list[Rejection]]:
        """Return those of the accepted that are far enough from better ones, and the others."""
        return select(tasks, self.spec.settings.max_overlap)

    def wants_more(self) -> bool:
        """Tell whether another candidate is needed though all under way should give a task."""
        if self.ended or self.handed_out >= len(self.candidates):
            return False
        settings = self.spec.settings
        sent = [self.forged.get(n) for n in range(self.handed_out) if n not in self.failed]
        tried = sum(result is None or was_tried(result.rejection) for result in sent)
        hopes = sum(result is None or result.task is not None for result in sent)
        _, tasks, _ = self.decided()
        overlapping = len(tasks) - len(self.selected(tasks)[0])
        return tried < settings.max_candidates and hopes - overlapping < settings.max_tasks

    def content(self, side_rows: Callable[[], Content]) -> Content:
        """Return the rows that this repository adds to a dataset."""
        counted, accepted, _ = self.decided()
        tasks, overlapping = self.selected(accepted)
        rejections = [r.rejection for r in counted if r.rejection is not None] + overlapping
        rejections += self.audits + ([self.rejection] if self.rejection else [])
        mined = self.ready and self.rejection is None
        side = side_rows() if mined else Content()
        return Content(
            tuple(tasks), side.snapshots if tasks else (), side.environments, side.tests,
            tuple(rejections), self.costs + tuple(cost for r in counted for cost in r.costs),
        )  # fmt: skip


class _Run:
    def __init__(
        self, client: Client, config: Config, dataset: str, work: Path, display: Display, *,
        near: bool,
    ) -> None:  # fmt: skip
        self.near = near  # the workers' files are this machine's
        self.client, self.dataset, self.work, self.display = client, dataset, work, display
        self.board = Board.of({s.name: s.settings.max_tasks for s in config.repositories})
        self.failures: list[Failure] = []
        self.jobs: dict[Job, tuple[_Repository, int | None, int]] = {}  # candidate and round
        client.subscribe_topic(_TOPIC, self._heard)
        self.repositories = [
            _Repository(spec, self._submit(jobs.mine_job, spec, work, _tell))
            for spec in config.repositories
        ]

    def go(self) -> Outcome:
        interrupted = False
        try:
            self._drain()
        except KeyboardInterrupt:
            interrupted = True
            signal.signal(signal.SIGINT, self._end_at_once)
            self.display.stop()
            self.display.say("stopping: what is finished is written; Ctrl-C again ends at once")
            mining = [r.mined for r in self.repositories if not r.ready]
            preparing = [job for r in self.repositories for job in r.prepared.values()]
            self.client.cancel([*self.jobs, *mining, *preparing])
        finally:
            self.client.unsubscribe_topic(_TOPIC)
        written = any(repository.ready for repository in self.repositories)
        if written:
            self._write()
        return Outcome(self.board, tuple(self.failures), interrupted, written)

    def _end_at_once(self, *_: object) -> None:
        self.display.say("ended; the same command continues where this one stopped")
        os._exit(128 + signal.SIGINT)  # the workers and what they run end with their parent

    def _submit(self, job: Callable[..., Any], *arguments: object) -> Job:
        return self.client.submit(job, *arguments, pure=False)

    def _heard(self, event: tuple[float, tuple[str, str, str]]) -> None:
        self._show(self.board.began(*event[1]))

    def _show(self, line: Line) -> None:
        self.display.show(self.board, line)

    def _drain(self) -> None:
        flow = distributed.as_completed(loop=self.client.loop)
        for repository in self.repositories:
            future = self._submit(jobs.summary_job, repository.mined)
            self.jobs[future] = (repository, None, 0)
            flow.add(future)
        for future in flow:
            repository, number, round_ = self.jobs.pop(future)
            if round_ == repository.rounds:
                self._take(future, repository, number)
            for new in self._hand_out():
                flow.add(new)

    def _take(self, future: Job, repository: _Repository, number: int | None) -> None:
        name = repository.spec.name
        if future.status != "finished":
            self._failed(future, repository, number)
        elif number is None:
            repository.take(future.result())
            self._show(self.board.mined(name, repository.rejection, len(repository.candidates)))
        else:
            repository.forged[number] = future.result()
            if repository.ended:
                return  # beyond the point where there was enough: it does not count
            self._show(self.board.forged(name, repository.forged[number].rejection))
        counted, tasks, final = repository.decided()
        if any(disagreed(result.rejection) for result in counted):
            repository.confirm_in_full()
            self._show(self.board.again(name, DISAGREED))
            return
        if final and not repository.ended:
            repository.ended = True
            failure = f"{len(repository.failed)} candidates failed" if repository.failed else ""
            accepted = len(repository.selected(tasks)[0])
            tried = sum(was_tried(result.rejection) for result in counted)
            counts = (accepted, tried - accepted, len(counted) - tried)
            self._show(self.board.ended(name, counts, failure))

    def _failed(self, future: Job, repository: _Repository, number: int | None) -> None:
        error = future.exception()
        what = "mining" if number is None else f"candidate {number}"
        kind = "" if isinstance(error, FeaturedelError) else f"{type(error).__name__}: "
        told = f"{repository.spec.name}: {what}: {kind}{error}"
        self.failures.append(Failure(told, isinstance(error, UsageError)))
        if number is None:
            repository.ended = True
            self._show(self.board.ended(repository.spec.name, (0, 0, 0), f"{kind}{error}"))
        else:
            repository.failed.add(number)

    def _hand_out(self) -> Iterator[Job]:
        """Submit candidates, a round of one of each repository after the other."""
        room = AHEAD * max(1, len(self.client.nthreads())) - sum(
            number is not None for _, number, _ in self.jobs.values()
        )
        while room > 0:
            before = room
            for repository in self.repositories:
                if room > 0 and repository.wants_more():
                    number = repository.handed_out
                    prepared, place = self._prepared(repository, number)
                    future = self._submit(
                        jobs.forge_job, repository.mined, prepared, repository.spec, place,
                        self.work, _tell,
                    )  # fmt: skip
                    self.jobs[future] = (repository, number, repository.rounds)
                    repository.handed_out += 1
                    room -= 1
                    yield future
            if room == before:
                return

    def _prepared(self, repository: _Repository, number: int) -> tuple[Job, int]:
        """Return the job that prepares a candidate among others, and its place among them."""
        together = min(TOGETHER, repository.spec.settings.max_tasks + 1)
        first = number - number % together
        if first not in repository.prepared:
            repository.prepared[first] = self._submit(
                jobs.prepare_job, repository.mined, repository.spec,
                tuple(repository.candidates[first : first + together]), self.work, _tell,
            )  # fmt: skip
        return repository.prepared[first], number - first

    def _write(self) -> None:
        rows = Content()
        for repository in self.repositories:
            rows += repository.content(partial(self._side_rows, repository.mined))
        write(self.dataset, rows)

    def _side_rows(self, mined: Job) -> Content:
        if self.near:  # when interrupted, the workers are busy still
            return jobs.side_rows_job(mined.result())
        content: Content = self._submit(jobs.side_rows_job, mined).result()
        return content
