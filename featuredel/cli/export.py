"""Commands that write a dataset in the form of a consumer."""

import json
from pathlib import Path
from typing import Any

import click

from featuredel import tables
from featuredel.cli import options
from featuredel.export.harbor import images
from featuredel.export.harbor import write as harbor_tasks
from featuredel.tasks.read import read


@click.group()
def export() -> None:
    """Write a dataset in the form that others read."""


@export.command()
@click.argument("dataset")
@click.argument("directory", type=options.PATH)
@click.option("--task", "tasks", multiple=True, help="Only this task; may be repeated.")
@options.register
@click.option("--organisation", default="featuredel", show_default=True, help="Before each name.")
@click.option("--base-image", default=images.BASE, help="Debian with Python and git, by digest.")
@click.option(
    "--featuredel",
    default="",
    help="In the verifier, instead of this one: a requirement or an archive.",
)
@click.option(
    "--network", type=click.Choice(["no-network", "public"]), default="no-network",
    show_default=True, help="What agent and verifier have.",
)  # fmt: skip
@options.as_json
def harbor(
    dataset: str, directory: Path, tasks: tuple[str, ...], register: Any, as_json: bool,
    **how: Any,
) -> None:  # fmt: skip
    """Write a task directory of Harbor for each task of DATASET to DIRECTORY."""
    rows = (read(dataset, one) for one in tasks) if tasks else tables.read_tasks(dataset)
    done = harbor_tasks.write(rows, dataset, directory, harbor_tasks.Options(register, **how))
    told = {"tasks": [str(one) for one in done.directories], "left_out": done.left_out}
    if as_json:
        click.echo(json.dumps(told))
        return
    click.echo(f"{directory}: {len(done.directories)} tasks")
    for task_id in done.left_out:
        click.echo(f"{task_id}: not offered in the register {register}", err=True)
