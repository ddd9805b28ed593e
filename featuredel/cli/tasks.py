"""Commands for the tasks of a dataset: inspect, materialize, shell, grade, check."""

import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from featuredel import console, tables
from featuredel.api import load
from featuredel.cli import options
from featuredel.errors import UsageError
from featuredel.model import Rejection, Task
from featuredel.tasks.check import check as check_task
from featuredel.tasks.grade import grade as grade_task
from featuredel.tasks.materialize import materialize as materialize_task
from featuredel.tasks.materialize import statement_of
from featuredel.tasks.read import read
from featuredel.tasks.workplace import Workplace


@click.command()
@click.argument("dataset")
@click.argument("task", required=False)
@click.option("--repository", default=None, help="Only what came of this repository.")
@click.option("--rejections", is_flag=True, help="Every rejection with its detail.")
@options.register
@click.option("--gold", is_flag=True, help="Only the gold patch of TASK, as git apply takes it.")
@options.as_json
def inspect(
    dataset: str, task: str | None, repository: str | None, rejections: bool, register: Any,
    gold: bool, as_json: bool,
) -> None:  # fmt: skip
    """Show what a dataset, one of its repositories, or one TASK holds."""
    if gold and task is None:
        raise UsageError("--gold needs a TASK")
    if task is not None:
        row = read(dataset, task)
        if gold:
            click.echo(row.gold_patch, nl=False)
        elif as_json:
            click.echo(json.dumps(tables.jsonable(row)))
        else:
            console.show_task(row, statement_of(row, register))
        return
    where = {"repository": repository} if repository else {}
    tasks = list(tables.read_tasks(dataset, **where))
    turned_down = list(tables.read_rows(dataset, "rejections", Rejection, where))
    if repository is not None and not tasks and not turned_down:
        known = ", ".join(tables.repositories(dataset))
        raise UsageError(f"{dataset}: nothing of a repository {repository!r}; there are {known}")
    if as_json:
        rows: list[Task] | list[Rejection] = turned_down if rejections else tasks
        click.echo(json.dumps([tables.jsonable(row) for row in rows]))
    elif rejections:
        console.show_rejections(turned_down)
    else:
        console.show_dataset(tasks, turned_down)


@click.command()
@click.argument("dataset")
@click.argument("task")
@click.argument("directory", type=options.PATH)
@options.register
@click.option(
    "--honeytokens", type=options.PATH, default=None,
    help="Plant leftovers that tell the feature wrongly; list them in this file.",
)  # fmt: skip
@options.as_json
def materialize(
    dataset: str, task: str, directory: Path, register: Any, honeytokens: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Write the tree that a solver of TASK is given to DIRECTORY."""
    row = read(dataset, task)
    statement = materialize_task(row, dataset, directory, register, honeytokens)
    told = {"directory": str(directory), "statement": str(statement)}
    click.echo(json.dumps(told) if as_json else f"{directory}: read {statement.name} first")


@click.command()
@click.argument("dataset")
@click.argument("task")
@click.argument("directory", type=options.PATH)
@click.argument("command", required=False)
@click.option("--seconds", type=options.Finite(0, min_open=True), default=3600.0)
@options.sandbox
@options.base_image
@options.work
def shell(
    dataset: str, task: str, directory: Path, command: str | None, seconds: float, sandbox: str,
    base_image: str, work: Path | None,
) -> int:  # fmt: skip
    """Run COMMAND, or each line of the standard input, in the sandbox of TASK.

    DIRECTORY was made by materialize, and keeps what commands change. The exit code is the last
    command's.
    """
    if not directory.is_dir():
        raise click.UsageError(f"{directory}: no such directory; materialize makes one")
    one = load(dataset, sandbox=sandbox, base_image=base_image, work=work)[task]
    opened, code = one.shell(directory, timeout_s=seconds), 0
    for line in sys.stdin if command is None else [command]:
        said = opened.run(line)
        click.echo(said.output, nl=False)
        code = said.exit_code
    return code


@click.command()
@click.argument("dataset")
@click.argument("task", required=False)
@click.argument("solution", type=options.PATH, required=False)
@click.option("--seed", type=click.IntRange(0), help="Of controls, to draw the same again.")
@click.option(
    "--batch",
    "predictions",
    type=options.PATH,
    default=None,
    help="Instead of TASK and SOLUTION: predictions in SWE-bench's form.",
)
@click.option("--out", type=options.PATH, default=None, help="Of --batch: the file of rewards.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default=True,
    help="Of --batch: gradings at once.",
)
@click.option("--scheduler", default=None, help="Of --batch: address of a running dask scheduler.")
@options.sandbox
@options.base_image
@options.work
def grade(
    dataset: str, task: str | None, solution: Path | None, seed: int | None,
    predictions: Path | None, out: Path | None, workers: int, scheduler: str | None,
    sandbox: str, base_image: str, work: Path | None,
) -> int:  # fmt: skip
    """Print the reward of SOLUTION, a directory made by materialize or a diff of it, as JSON.

    With --batch, print a line for each prediction of a file, or append it to --out. Those that
    are there already are not graded again.
    """
    if predictions is not None:
        if task is not None or seed is not None:
            raise click.UsageError("--batch grades what its file names; leave TASK and --seed away")
        if scheduler is None:  # its workers are other machines
            Workplace.open(sandbox, base_image, work)
        return console.grade_and_show(
            dataset, predictions, out, sandbox=sandbox, base_image=base_image, work=work,
            scheduler=scheduler, workers=workers,
        )  # fmt: skip
    if task is None or solution is None:
        raise click.UsageError("what is to be graded? give TASK and SOLUTION, or --batch FILE")
    if not solution.exists():
        raise click.UsageError(f"{solution}: no such directory or diff")
    row, place = read(dataset, task), Workplace.open(sandbox, base_image, work)
    reward = grade_task(row, dataset, solution, place.ensure, place.sandbox, place.work, seed=seed)
    click.echo(json.dumps(dataclasses.asdict(reward), sort_keys=True))
    return 0


@click.command()
@click.argument("dataset")
@click.argument("tasks", nargs=-1)
@click.option("--gates/--no-gates", default=True, help="Run every gate again at the end.")
@options.with_environments
@options.as_json
def check(
    dataset: str, tasks: tuple[str, ...], gates: bool, as_json: bool,
    sandbox: Any, work: Path, ensure: Any,
) -> int:  # fmt: skip
    """Prove the tasks of a written DATASET (or only TASKS) again, from their rows alone."""
    rows = [read(dataset, t) for t in dict.fromkeys(tasks)] or list(tables.read_tasks(dataset))
    faulty = 0
    for row in rows:
        found = check_task(row, dataset, ensure, sandbox, work, gates=gates)
        faulty += bool(found.faults)
        if as_json:
            click.echo(json.dumps(dataclasses.asdict(found)))
        else:
            click.echo(f"{found.task_id} {found.feature}: {'; '.join(found.faults) or 'holds'}")
    click.echo(f"{len(rows) - faulty} of {len(rows)} tasks hold", err=as_json)
    return 1 if faulty else 0
