"""The plant test in full, and its table in RESULTS.md: python -m bench.plant DATASET."""

import json
from pathlib import Path

import click

from bench.results import machine, write_section
from featuredel import cli
from featuredel.leaks.plant.report import markdown
from featuredel.leaks.plant.table import MAKINGS
from featuredel.sandbox.table import open_sandbox
from featuredel.tasks.plant import plant
from featuredel.tasks.workplace import prepared

HEAD = """## Leaks: the plant test

The deleted code of real tasks (of a toy where the artefact is of another language) is put into
every artefact of the catalogue, by the real tools. `content`: the scan reads it under a neutral
name (7z, which it does not read, it reports as opaque). `path`: a rule for the name it was left
by. `provenance`: nothing explains its files. Each cell is found/planted.
"""


@click.command()
@click.argument("dataset")
@click.argument("tasks", nargs=-1)
@click.option("--work", type=click.Path(path_type=Path), default=None)
def main(dataset: str, tasks: tuple[str, ...], work: Path | None) -> int:
    """Plant everything in TASKS of DATASET, or in the largest of each repository."""
    where = prepared(work)

    def told(name: str, seconds: float) -> None:
        click.echo(f"{name}: {seconds:.1f} s", err=True)

    recalls = list(plant(dataset, tasks, MAKINGS, open_sandbox(), where, told))
    write_section("plant", "make leaks-plant", f"{HEAD}\nOn {machine()}.\n\n{markdown(recalls)}")
    failed = [recall for recall in recalls if recall.missed or recall.broken]
    click.echo(json.dumps({"planted": len(recalls), "failed": [r.vector for r in failed]}))
    return 1 if failed else 0


if __name__ == "__main__":
    cli.main(main)
