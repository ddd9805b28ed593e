"""Options that several commands have, and what they come to."""

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import click

from featuredel.model import Register
from featuredel.tasks.workplace import Workplace

PATH = click.Path(path_type=Path)


class Finite(click.FloatRange):
    """A number in a range that is one: nan is in every range, and inf in those without an end."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number; any other text is refused."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
work = click.option(
    "--work", type=PATH, default=None, help="Caches and environments; default: your cache folder."
)
sandbox = click.option(
    "--sandbox", default="auto", help="auto, bubblewrap, docker, account or none."
)
base_image = click.option(
    "--base-image", default="", help="Of the sandbox docker: NAME@sha256:... or an id."
)
register = click.option("--register", type=click.Choice(get_args(Register)), default="full")


def with_environments(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `sandbox`, `work` and `ensure` in place of its options."""

    @sandbox
    @base_image
    @work
    @functools.wraps(command)
    def wrapped(sandbox: str, base_image: str, work: Path | None, **arguments: Any) -> Any:
        place = Workplace.open(sandbox, base_image, work)
        return command(sandbox=place.sandbox, work=place.work, ensure=place.ensure, **arguments)

    return wrapped
