"""What grading costs beside its tests: python -m bench.grading DATASET.

The gold patch of each task is graded, a second time, so that all that is kept is there. Each run
is timed inside its sandbox, as the tests would take without one; what a grading takes beside is
what featuredel adds: reading the row, laying out trees, sandboxes, reading reports. Writes a
section of RESULTS.md.
"""

import resource
import statistics
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from bench.results import machine, table, write_section
from featuredel import cli, tables
from featuredel.model import Task
from featuredel.sandbox import ENVIRONMENT, REPORT_FD, Command, ExecResult
from featuredel.sandbox.shared import Shared
from featuredel.sandbox.table import open_sandbox
from featuredel.tasks.grade import grade
from featuredel.tasks.workplace import Workplace, work_directory

ALLOWED_S = 0.5
HEAD = """## Grading: what it costs

The gold patch graded a second time, in bubblewrap. `runs` are the two runs of tests and the
ablation, each timed inside its sandbox; `beside` is everything else. Seconds.
"""
COLUMNS = ("task", "F2P", "P2P", "runs", "in all", "beside", "of it CPU")
WATCH = f"""
import subprocess, sys, time
began_s = time.monotonic()
code = subprocess.call(sys.argv[1:], pass_fds=[{REPORT_FD}])
print(time.monotonic() - began_s, file=sys.stderr)
sys.exit(code if code >= 0 else 128 - code)
"""


@dataclass(slots=True)
class Timed(Shared):
    """A sandbox that notes how long each command took in it, without the sandbox."""

    took_s: list[float] = field(default_factory=list)
    cpu_s: float = 0.0

    def run(self, command: Command) -> ExecResult:
        watched = (f"{ENVIRONMENT}/bin/python", "-I", "-S", "-c", WATCH, *command.argv)
        result = self.inner.run(replace(command, argv=watched))
        self.took_s.append(float(result.stderr.split()[-1]))
        self.cpu_s += result.cpu_s
        return result


@dataclass(frozen=True, slots=True)
class Cost:
    """What a grading took, in seconds: its runs, the whole, and what is not of the runs."""

    runs_s: tuple[float, ...]
    whole_s: float
    beside_cpu_s: float

    @property
    def beside_s(self) -> float:
        return self.whole_s - sum(self.runs_s)


@click.command()
@click.argument("dataset")
@click.option("--work", type=click.Path(path_type=Path), default=None)
def main(dataset: str, work: Path | None) -> int:
    """Time the grading of the tasks of DATASET; 1 if one takes longer than it may."""
    place = work_directory(work)
    rows, costs = [], []
    with closing(open_sandbox("auto")) as opened:
        for task in tables.read_tasks(dataset):
            costs.append(cost := _graded(task, dataset, opened, place))
            runs = " + ".join(f"{one:.2f}" for one in cost.runs_s)
            seconds = (f"{s:.2f}" for s in (cost.whole_s, cost.beside_s, cost.beside_cpu_s))
            name = f"{task.repository} {task.task_id[:8]}"
            rows.append((name, task.f2p_count, task.p2p_count, runs, *seconds))
            click.echo(rows[-1], err=True)
    beside, cpu = [one.beside_s for one in costs], [one.beside_cpu_s for one in costs]
    over = sum(one > ALLOWED_S for one in beside)
    total = (
        f"Beside the runs: median {statistics.median(beside):.2f} s, at most {max(beside):.2f} s,"
        f" {over} of {len(beside)} over {ALLOWED_S} s; of the processor"
        f" {statistics.median(cpu):.2f} s, at most {max(cpu):.2f} s."
    )
    text = f"{HEAD}\nOn {machine()}.\n\n{total}\n\n{table(COLUMNS, rows)}"
    click.echo(text)
    write_section("grading", "make bench-grading", text)
    return int(over > 0)


def _graded(task: Task, dataset: str, opened: Shared, work: Path) -> Cost:
    """Grade the gold patch twice, and return what the second time took."""
    timed, ensure = Timed(opened.inner), Workplace(opened, work).ensure
    with tempfile.TemporaryDirectory(prefix="bench-grading-") as folder:
        gold = Path(folder) / "gold.patch"
        gold.write_bytes(task.gold_patch)
        grade(task, dataset, gold, ensure, timed, work)
        timed.took_s.clear()
        timed.cpu_s = 0.0
        began_s, before_s = time.monotonic(), _cpu_s()
        earned = grade(task, dataset, gold, ensure, timed, work)
        whole_s, used_s = time.monotonic() - began_s, _cpu_s() - before_s
    if not earned.resolved:
        raise SystemExit(f"{task.task_id}: gold earns {earned.reward}: {earned.controls}")
    return Cost(tuple(timed.took_s), whole_s, used_s - timed.cpu_s)


def _cpu_s() -> float:
    every = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(who) for who in every]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    cli.main(main)
