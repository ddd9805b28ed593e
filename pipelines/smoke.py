"""The main job on the repositories of repos.yaml: python -m pipelines.smoke."""

from pathlib import Path

import click

from featuredel import cli
from featuredel.config import load
from featuredel.console import run_and_show

REPOS = Path(__file__).parent.parent / "repos.yaml"


@click.command()
@click.option("--repos", type=click.Path(path_type=Path), default=REPOS)
@click.option("--out", default="data/smoke")
@click.option("--workers", type=click.IntRange(1), default=2)
def main(repos: Path, out: str, workers: int) -> int:
    """Make a few tasks from each repository."""
    return run_and_show(load(repos), out, workers=workers)


if __name__ == "__main__":
    cli.main(main)
