"""Commands for what featuredel makes in a Docker engine.

The client takes longer to import than other commands take, so each imports it when it is called.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from featuredel.cli import options
from featuredel.tasks.read import read
from featuredel.tasks.workplace import prepared


@click.command()
@click.argument("dataset")
@click.argument("task")
@options.register
@options.base_image
@options.work
@options.as_json
def image(
    dataset: str, task: str, register: Any, base_image: str, work: Path | None, as_json: bool
) -> None:
    """Make the Docker image that a solver of TASK is given: base, environment and tree."""
    from featuredel.tasks.image import image as task_image

    made = task_image(read(dataset, task), dataset, base_image, prepared(work), register)
    click.echo(json.dumps(dataclasses.asdict(made)) if as_json else f"{made.name} {made.id}")


@click.command("base-image")
@click.option("--suite", default="", help="Of Debian; that of this machine by default.")
@click.option("--package", "packages", multiple=True, help="One package more; may be repeated.")
@options.as_json
def base_image(suite: str, packages: tuple[str, ...], as_json: bool) -> None:
    """Build the base image of the sandbox docker, where no registry can be reached."""
    from featuredel.sandbox.docker.base import build_base

    made = build_base(suite, packages)
    told = {"id": made.id, "layers": made.layers}
    click.echo(json.dumps(told) if as_json else f"{made.id}\n  as base_image in repos.yaml")


@click.command()
@click.option("--keep-base", is_flag=True, help="Leave base images, which take minutes to build.")
@options.as_json
def clean(keep_base: bool, as_json: bool) -> None:
    """Remove all that featuredel has made in the Docker engine, and list it."""
    from featuredel.sandbox.docker.clean import clean as clean_engine

    removals = clean_engine(keep_base=keep_base)
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(removal) for removal in removals]))
        return
    for removal in removals:
        kept = f"  kept: {removal.kept}" if removal.kept else ""
        click.echo(f"{removal.what:<9}  {removal.name}{kept}")
    removed = sum(not removal.kept for removal in removals)
    click.echo(f"{removed} removed" if removals else "there was nothing")
