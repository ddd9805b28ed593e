"""Commands that write a dataset in the form of a consumer."""

import json
from pathlib import Path
from typing import Any

import click

from featuredel import tables
from featuredel.cli import options
from featuredel.errors import UsageError
from featuredel.export import swebench as to_swebench
from featuredel.export.harbor import images
from featuredel.export.harbor import write as harbor_tasks
from featuredel.export.prompts import write_prompts
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


@export.command()
@click.argument("dataset")
@click.argument("file")
@options.register
@click.option(
    "--image", default=to_swebench.IMAGE, show_default=True,
    help="What the image of a task is called; by default as `featuredel image` calls it.",
)  # fmt: skip
@options.as_json
def swebench(dataset: str, file: str, register: Any, image: str, as_json: bool) -> None:
    """Write the tasks of DATASET to FILE.parquet or FILE.jsonl, in SWE-bench's form.

    The file holds answers and hidden tests. Tasks that the form has no room for are named.
    """
    to_swebench.check_file(file)
    found = list(to_swebench.export(dataset, register, image))
    for one in found:
        told = f"{one.task_id} {one.repository}"
        if one.refusal:
            click.echo(f"{told}: skipped: {one.refusal}", err=True)
        elif one.left_out:
            click.echo(f"{told}: {len(one.left_out)} P2P left out: {to_swebench.UNSEEN}", err=True)
    rows = [one.instance for one in found if one.instance is not None]
    if not rows:
        raise UsageError(f"{dataset}: no task can be told in this form; nothing is written")
    to_swebench.write(file, rows)
    if as_json:
        skipped = {one.task_id: one.refusal for one in found if one.refusal}
        left_out = {one.task_id: len(one.left_out) for one in found if one.instance}
        counts = {"file": file, "tasks": len(rows), "skipped": skipped, "left_out": left_out}
        click.echo(json.dumps(counts))
    else:
        click.echo(f"{file}: {len(rows)} of {len(found)} tasks")


@export.command()
@click.argument("dataset")
@click.argument("file")
@options.register
@click.option("--split", default=None, help="Only the tasks of this split: train, test, ...")
@click.option(
    "--context-chars", type=click.IntRange(0), default=60_000, show_default=True,
    help="Show so many characters of files; a task that needs more is left out.",
)  # fmt: skip
@click.option("--shell", is_flag=True, help="For many turns with a shell: ask for no diff.")
def prompts(
    dataset: str, file: str, register: Any, split: str | None, context_chars: int, shell: bool
) -> None:
    """Write prompts that ask for a diff to FILE.parquet, a row a task, as TRL and VeRL load it."""
    if not file.endswith(".parquet"):
        raise UsageError(f"{file}: give a name that ends in .parquet")
    done = write_prompts(dataset, file, register, context_chars, split, shell=shell)
    click.echo(f"{file}: {done.prompts} prompts")
    if done.not_offered:
        click.echo(f"left out: {len(done.not_offered)} tasks not offered in {register}", err=True)
    if done.too_large:
        click.echo(
            f"left out: {len(done.too_large)} tasks that need more than {context_chars} characters"
            f" of files; --context-chars {done.needed_chars} takes them all",
            err=True,
        )
