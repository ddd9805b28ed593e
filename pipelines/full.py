"""Every project of a larger repos file: python -m pipelines.full my-repos.yaml."""

from pathlib import Path

import click

from featuredel import cli
from featuredel.config import load
from featuredel.console import run_and_show


@click.command()
@click.argument("repos", type=click.Path(path_type=Path))
@click.option("--out", default="data/full")
@click.option("--workers", type=click.IntRange(1), default=2)
@click.option("--scheduler", default=None, help="Address of a dask scheduler, for many machines.")
@click.option("--work", type=click.Path(path_type=Path), default=None)
def main(repos: Path, out: str, workers: int, scheduler: str | None, work: Path | None) -> int:
    """Make all the tasks that each repository gives."""
    return run_and_show(load(repos), out, work, scheduler=scheduler, workers=workers)


if __name__ == "__main__":
    cli.main(main)
