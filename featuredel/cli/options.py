"""Options that several commands have, and what they come to."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from featuredel import console
from featuredel.config import Settings
from featuredel.model import Environment, EnvironmentRow, Snapshot
from featuredel.sandbox.table import open_sandbox
from featuredel.scratch import sweep
from featuredel.stages.environment import rebuild

PATH = click.Path(path_type=Path)

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
work = click.option(
    "--work", type=PATH, default=None, help="Caches and environments; default: your cache folder."
)
sandbox = click.option("--sandbox", default="auto", help="auto, bubblewrap, docker or none.")
base_image = click.option(
    "--base-image", default="", help="Of the sandbox docker: NAME@sha256:... or an id."
)
register = click.option(
    "--register", type=click.Choice(["full", "interface", "terse"]), default="full"
)


def work_directory(asked: Path | None) -> Path:
    """Return the directory that was asked for, or the user's own, made and swept."""
    place = (asked or console.work_directory()).resolve()
    place.mkdir(parents=True, exist_ok=True)
    sweep(place)
    return place


def with_environments(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `sandbox`, `work` and `ensure` in place of its options."""

    @sandbox
    @base_image
    @work
    @functools.wraps(command)
    def wrapped(sandbox: str, base_image: str, work: Path | None, **arguments: Any) -> Any:
        opened, where = open_sandbox(sandbox, base_image), work_directory(work)

        def ensure(row: EnvironmentRow, snapshot: Snapshot) -> Environment:
            return rebuild(row, snapshot, opened, where, Settings())

        return command(sandbox=opened, work=where, ensure=ensure, **arguments)

    return wrapped
