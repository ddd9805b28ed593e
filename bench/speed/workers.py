"""The same jobs with one worker and with two, beside what the machine itself gives; and memory."""

import contextlib
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeAlias

from bench.speed.project import mine_project
from bench.speed.screening import measure_screening
from featuredel.config import RepositorySpec
from featuredel.errors import InfrastructureError
from featuredel.gates.screen import GROUP
from featuredel.pipeline import Tools, forge, mine
from featuredel.sandbox.table import open_sandbox

Job: TypeAlias = "tuple[str, int]"
"""The name of a project, and which of its features."""

Do: TypeAlias = Callable[[Job], object]
Prepare: TypeAlias = Callable[[], contextlib.AbstractContextManager[Do]]

READY_S = 900.0
LOOPS = 4_000_000
PEAK_EVERY_S = 0.2


@dataclass(slots=True)
class Workers:
    """Wall seconds of the jobs by the number of workers, and of loops that need nothing else."""

    jobs: int
    wall_s: list[float]
    loops_s: list[float]


@dataclass(slots=True)
class Memory:
    """The most that a worker and all that it started held at once."""

    peak_bytes: int


def measure_workers(specs: Sequence[RepositorySpec], work: Path, candidates: int) -> Workers:
    """Forge the first candidates of some projects, with one worker and with two."""
    jobs = [(spec.name, number) for number in range(candidates) for spec in specs]
    prepare = partial(forging, tuple(specs), work)
    return Workers(
        len(jobs),
        [run_jobs(workers, prepare, jobs) for workers in (1, 2)],
        [run_jobs(workers, looping, jobs) for workers in (1, 2)],
    )


def measure_memory(spec: RepositorySpec, work: Path, wanted: int, candidates: int) -> Memory:
    """Mine a project, screen all its candidates and forge some, in one worker."""
    peaks: list[int] = []
    jobs = [(spec.name, number) for number in range(-2, candidates)]
    run_jobs(1, partial(whole_line, spec, work, wanted), jobs, peaks)
    return Memory(max(peaks))


# --- workers -------------------------------------------------------------------------------


def run_jobs(
    workers: int, prepare: Prepare, jobs: Sequence[Job], peaks: list[int] | None = None
) -> float:
    """Return how long so many processes take for the jobs, from when all of them are ready."""
    context = multiprocessing.get_context("spawn")
    queue: Any = context.Queue()
    ready = context.Barrier(workers + 1)
    for job in (*jobs, *[None] * workers):
        queue.put(job)
    processes = [
        context.Process(target=_work, args=(prepare, queue, ready)) for _ in range(workers)
    ]
    for process in processes:
        process.start()
    with _watched(processes, peaks):
        ready.wait(READY_S)
        began = time.monotonic()
        for process in processes:
            process.join()
        took = time.monotonic() - began
    if any(process.exitcode for process in processes):
        raise InfrastructureError("a worker ended before its jobs did")
    return took


def _work(prepare: Prepare, queue: Any, ready: Any) -> None:
    try:
        with prepare() as do:
            ready.wait(READY_S)
            while (job := queue.get()) is not None:
                do(job)
    except BaseException:
        ready.abort()  # else the others would wait for this one
        raise


@contextlib.contextmanager
def looping() -> Iterator[Do]:
    """Yield a job that needs the processor and nothing else."""
    yield lambda _: sum(number * number for number in range(LOOPS))


@contextlib.contextmanager
def forging(specs: tuple[RepositorySpec, ...], work: Path) -> Iterator[Do]:
    """Yield a job that forges a candidate."""
    projects = {spec.name: mine_project(spec, work, 0) for spec in specs}
    with contextlib.closing(open_sandbox(specs[0].settings.sandbox)) as sandbox:

        def do(job: Job) -> None:
            project = projects[job[0]]
            features = project.mined.features[job[1] : job[1] + 1]
            for feature in features:
                tools = Tools(sandbox, project.spec.settings, work)
                forge(project.mined, feature, "removal", tools)

        yield do


@contextlib.contextmanager
def whole_line(spec: RepositorySpec, work: Path, wanted: int) -> Iterator[Do]:
    """Yield a job that mines (-2), screens (-1) or forges a candidate, in turn."""
    with (
        contextlib.closing(open_sandbox(spec.settings.sandbox)) as sandbox,
        forging((spec,), work) as forge_one,
    ):

        def do(job: Job) -> None:
            if job[1] == -2:
                mine(spec, Tools(sandbox, spec.settings, work))
            elif job[1] == -1:
                measure_screening(mine_project(spec, work, wanted), GROUP)
            else:
                forge_one(job)

        yield do


# --- memory --------------------------------------------------------------------------------


@contextlib.contextmanager
def _watched(processes: Sequence[BaseProcess], peaks: list[int] | None) -> Iterator[None]:
    """Note, while this goes on, what the processes and all that they started hold."""
    if peaks is None:
        yield
        return
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(PEAK_EVERY_S):
            pids = [process.pid for process in processes if process.pid is not None]
            peaks.append(sum(_held(pid) for pid in _below(pids)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _below(pids: Sequence[int]) -> set[int]:
    """Return the processes and all that they and theirs started."""
    found = set(pids)
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    left = list(pids)
    while left:
        new = [pid for pid in children.get(left.pop(), ()) if pid not in found]
        found.update(new)
        left += new
    return found


def _held(pid: int) -> int:
    """Return the memory of a process in bytes, what it shares with others counted in parts.

    Where that may not be read, it counts in full. A process that has ended holds nothing.
    """
    for name, word in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/{name}").read_text().splitlines():
                if line.startswith(word):
                    return int(line.split()[1]) << 10
    return 0
