"""The red team on real tasks, and its section of RESULTS.md: python -m bench.redteam DATASET."""

import json
from pathlib import Path
from typing import Any

import click

from bench.redteam.campaign import Round, faults, fight
from bench.redteam.report import section
from bench.redteam.trial import open_ground
from bench.results import machine, write_section
from featuredel import cli, tables
from featuredel.cli import options
from featuredel.errors import UsageError
from featuredel.model import Task
from featuredel.tasks.read import read

TASKS = 3


@click.command()
@click.argument("dataset")
@click.option("--task", "tasks", multiple=True, help="By default one of each of three projects.")
@click.option("--repeats", default=20, help="Gradings of the reference.")
@click.option("--workers", default=2)
@click.option("--write/--no-write", default=True, help="Write the section of RESULTS.md.")
@options.with_environments
def main(
    dataset: str, tasks: tuple[str, ...], repeats: int, workers: int, write: bool,
    sandbox: Any, work: Path, ensure: Any,
) -> int:  # fmt: skip
    """Try every attack and every honest form on tasks of DATASET."""
    chosen = [read(dataset, name) for name in tasks] or fewest_tests(dataset)[:TASKS]

    def told(line: str) -> None:
        click.echo(line, err=True)

    rounds: list[Round] = []
    found: list[str] = []
    for task in chosen:
        ground = open_ground(task, dataset, sandbox, work, ensure)
        rounds.append(fight(ground, repeats, workers, told))
        found = list(faults(rounds))
        if write:  # after each, for it takes long
            write_section("redteam", "make redteam", section(rounds, machine(), found))
    counted = {one.name: one.counted for one in rounds}
    click.echo(json.dumps({"counted": counted, "faults": found}, indent=1))
    return 1 if found else 0


def fewest_tests(dataset: str) -> list[Task]:
    """Return of each repository the task with the fewest F2P, those with the fewest tests first.

    Each is graded hundreds of times.

    Raises `UsageError` if there is none in the register `terse`.
    """
    found: dict[str, Task] = {}
    for task in sorted(tables.read_tasks(dataset), key=lambda t: (t.f2p_count, t.task_id)):
        if task.statement_terse is not None:
            found.setdefault(task.repository, task)
    if not found:
        raise UsageError(f"{dataset}: there is no task in the register terse in it")
    return sorted(found.values(), key=lambda t: (t.f2p_count + t.p2p_count, t.task_id))


if __name__ == "__main__":
    cli.main(main)
