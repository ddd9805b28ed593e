"""What grading costs beside its tests: python -m bench.grading DATASET WORK.

The gold patch of each task is graded, a second time, so that all that is kept is there. Each run
is timed inside its sandbox, as the tests would take without one; what a grading takes beside is
what featuredel adds: reading the row, laying out trees, sandboxes, reading reports.
"""

import resource
import statistics
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from featuredel import tables
from featuredel.config import Settings
from featuredel.model import Environment, EnvironmentRow, Snapshot, Task
from featuredel.sandbox import ENVIRONMENT, REPORT_FD, Command, ExecResult
from featuredel.sandbox.shared import Shared
from featuredel.sandbox.table import open_sandbox
from featuredel.stages.environment import rebuild
from featuredel.tasks.grade import grade

ALLOWED_S = 0.5
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


def main(dataset: str, work: str) -> int:
    place = Path(work).resolve()
    costs = []
    print(
        "task              repository   F2P  P2P  runs without the sandbox  in all  beside  (CPU)"
    )
    with closing(open_sandbox("auto")) as opened:
        for task in tables.read_tasks(dataset):
            cost = _graded(task, dataset, opened, place)
            costs.append(cost)
            runs = " + ".join(f"{one:.2f}" for one in cost.runs_s)
            print(
                f"{task.task_id}  {task.repository:12} {task.f2p_count:3} {task.p2p_count:4}"
                f"  {runs:25} {cost.whole_s:6.2f} {cost.beside_s:7.2f} {cost.beside_cpu_s:6.2f}",
                flush=True,
            )
    beside, cpu = [one.beside_s for one in costs], [one.beside_cpu_s for one in costs]
    over = sum(one > ALLOWED_S for one in beside)
    print(
        f"beside the runs: median {statistics.median(beside):.2f} s, at most {max(beside):.2f} s,"
        f" {over} of {len(beside)} over {ALLOWED_S} s;"
        f" of the processor {statistics.median(cpu):.2f} s, at most {max(cpu):.2f} s"
    )
    return int(over > 0)


def _graded(task: Task, dataset: str, opened: Shared, work: Path) -> Cost:
    """Grade the gold patch twice, and return what the second time took."""

    def ensure(row: EnvironmentRow, snapshot: Snapshot) -> Environment:
        return rebuild(row, snapshot, opened, work, Settings())

    timed = Timed(opened.inner)
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
    sys.exit(main(*sys.argv[1:]))
