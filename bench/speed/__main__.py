"""Measure, print, write the section of RESULTS.md: python -m bench.speed [PROJECTS.yaml].

Exits with 1 where a verdict differs. What is measured stays in the work directory, so the same
command goes on where it was stopped.
"""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import repeat
from pathlib import Path

import click

from bench.results import machine, write_section
from bench.speed.measure import Plan, mine_and_measure
from bench.speed.report import section
from bench.speed.shelf import Shelf
from bench.speed.verdicts import differences
from bench.speed.workers import Memory, Workers, measure_memory, measure_workers
from featuredel import cli
from featuredel.config import RepositorySpec, load
from featuredel.scratch import sweep

ACCEPTED = 12
"""Tasks of a project, where nothing else is asked for."""

FORGED_FOR_MEMORY = 4
"""Candidates; all are screened as well."""

HERE = Path(__file__).parent.parent


@click.command()
@click.argument("projects", type=click.Path(path_type=Path), default=HERE / "speed.yaml")
@click.option("--work", type=click.Path(path_type=Path), default=Path("data/speed"))
@click.option("--results", type=click.Path(path_type=Path), default=HERE / "RESULTS.md")
@click.option("--candidates", type=click.IntRange(1), default=100)
@click.option("--cold", type=click.IntRange(1), default=None, help="Of them, run cold.")
@click.option(
    "--accepted",
    "wanted",
    multiple=True,
    metavar="[NAME=]N",
    help=f"Tasks of each project ({ACCEPTED}), or of one by its name; may be repeated.",
)
@click.option("--repeats", type=click.IntRange(1), default=2, help="Runs of each kind of suite.")
@click.option("--pythons", default="3.11,3.12,3.13", help="For the suites alone.")
@click.option("--jobs", type=click.IntRange(1), default=12, help="Of each project, for workers.")
@click.option("--at-once", type=click.IntRange(1), default=1, help="Projects side by side.")
def main(
    projects: Path, work: Path, results: Path, candidates: int, cold: int | None,
    wanted: tuple[str, ...], repeats: int, pythons: str, jobs: int, at_once: int,
) -> int:  # fmt: skip
    """Measure the cost of candidates and tasks against cold runs of whole suites."""
    versions = tuple(filter(None, pythons.split(",")))
    plan = Plan(candidates, cold, ACCEPTED, repeats, versions)
    work = work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    sweep(work)
    started = f"{datetime.now(UTC):%d %B %Y}, on {machine()} at the start."
    shelf = Shelf(work / "speed")
    specs = load(projects).repositories
    plans = [replace(plan, accepted=_accepted(wanted, spec.name)) for spec in specs]
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(at_once, spawning) as pool:
        all_measured = list(pool.map(mine_and_measure, plans, repeat(work), repeat(shelf), specs))
    click.echo("memory and workers")
    memory, workers = _machine_wide(specs, work, plan, jobs, shelf)
    text = section(all_measured, memory, workers, started)
    click.echo(text)
    write_section("speed", "make bench-speed", text, results)
    return int(any(True for measured in all_measured for _ in differences(measured)))


def _accepted(wanted: Sequence[str], name: str) -> int:
    """Return how many tasks are wanted of a project."""
    found = {project: number for project, _, number in (one.rpartition("=") for one in wanted)}
    number = found.get(name) or found.get("") or str(ACCEPTED)
    if not number.isdigit() or not int(number):
        raise click.UsageError(f"--accepted {number}: say a number, or NAME=NUMBER")
    return int(number)


def _machine_wide(
    specs: tuple[RepositorySpec, ...], work: Path, plan: Plan, jobs: int, shelf: Shelf
) -> tuple[Memory, Workers]:  # fmt: skip
    """Measure memory on the last project, the large one, and workers on the last two."""
    key = (specs, asdict(plan), jobs)
    memory = shelf.row(
        Memory, "memory", key,
        lambda: measure_memory(specs[-1], work, plan.candidates, min(jobs, FORGED_FOR_MEMORY)),
    )  # fmt: skip
    workers = shelf.row(
        Workers, "workers", key, lambda: measure_workers(specs[-2:], work, jobs)
    )  # fmt: skip
    return memory, workers


if __name__ == "__main__":
    cli.main(main)
