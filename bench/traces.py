"""Whether written tasks are clean, and what the gate costs: python -m bench.traces DATASET.

Of each task everything that `materialize` lays out is scanned, in every register, and the gate is
timed once more on its tree, with the base read before it. Writes a section of RESULTS.md.
"""

import shutil
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from bench.results import machine, table, write_section
from featuredel import cli, tables
from featuredel.gates.leaks import base_for, no_trace, secrets
from featuredel.languages import front_end
from featuredel.model import Statement, Task
from featuredel.patches import added_text
from featuredel.sandbox.table import open_sandbox
from featuredel.scratch import scratch_directory
from featuredel.tasks.leaks import leak_report
from featuredel.tasks.read import delete_feature, recorded_environment, unpack_snapshot
from featuredel.tasks.workplace import Workplace, prepared

HEAD = """## Leaks: real tasks

What a solver gets of each task, scanned after it was written: the tree in every register, its
repository, the environment. `delta` is what the gate takes of the processor for one task (the
median) once the base of its environment is read; `base` is that reading, where it was not kept.
"""

COLUMNS = ("project", "tasks", "files", "needles", "findings", "base, CPU s", "delta, CPU s")


@dataclass(frozen=True, slots=True)
class Seen:
    """What the scan of a task found, and what the gate took, in CPU seconds."""

    needles: int
    findings: tuple[str, ...]
    base_s: float  # nearly nothing where another task had it read
    delta_s: float
    files: int


def see(task: Task, dataset: str, work: Path) -> Seen:
    """Scan a task as it is given to a solver."""
    opened = open_sandbox()
    ensure = Workplace(opened, work).ensure
    with scratch_directory(work) as scratch:
        snapshot = unpack_snapshot(dataset, task, scratch / "snapshot")
        environment = ensure(recorded_environment(dataset, task), snapshot)
        tree = scratch / "tree"
        shutil.copytree(snapshot.root, tree, symlinks=True)
        delete_feature(dataset, task, tree)
        began = time.process_time()
        base = base_for(front_end(task.language), environment, opened, work)
        read = time.process_time()
        found = secrets(added_text(task.gold_patch), tree, base)
        statement = Statement(task.statement_full, task.statement_interface, task.statement_terse)
        no_trace(found, statement, task.hidden_files, tree, environment, base)
        ended = time.process_time()
    report = leak_report(task, dataset, ensure, opened, work)
    findings = tuple(map(str, report.findings))
    return Seen(len(report.needles), findings, read - began, ended - read, report.files)


def rows(seen: Mapping[str, Sequence[Seen]]) -> Iterator[tuple[object, ...]]:
    """Yield what is told of each project."""
    for name, tasks in sorted(seen.items()):
        needles = sorted(one.needles for one in tasks)
        yield (
            name, len(tasks), max(one.files for one in tasks), f"{needles[0]}-{needles[-1]}",
            sum(len(one.findings) for one in tasks),
            f"{max(one.base_s for one in tasks):.1f}",
            f"{statistics.median(one.delta_s for one in tasks):.2f}",
        )  # fmt: skip


@click.command()
@click.argument("dataset")
@click.option("--work", type=click.Path(path_type=Path), default=None)
def main(dataset: str, work: Path | None) -> int:
    """Scan the tasks of DATASET."""
    where = prepared(work)
    seen: dict[str, list[Seen]] = defaultdict(list)
    for task in tables.read_tasks(dataset):
        seen[task.repository].append(one := see(task, dataset, where))
        click.echo(f"{task.repository} {task.feature}: {one.delta_s:.2f} s", err=True)
        for finding in one.findings:
            click.echo(f"    {finding}")
    every = [one for tasks in seen.values() for one in tasks]
    found = sum(len(one.findings) for one in every)
    total = f"{len(every)} tasks of {len(seen)} projects: {found} findings."
    text = f"{HEAD}\nOn {machine()}.\n\n{total}\n\n{table(COLUMNS, rows(seen))}"
    write_section("traces", "make leaks-traces", text)
    return 1 if found else 0


if __name__ == "__main__":
    cli.main(main)
