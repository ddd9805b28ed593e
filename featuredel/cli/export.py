"""Commands that write a dataset in the form of a consumer."""

from typing import Any

import click

from featuredel.cli import options
from featuredel.errors import UsageError
from featuredel.export.prompts import write_prompts


@click.group()
def export() -> None:
    """Write a dataset in the form that others read."""


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
