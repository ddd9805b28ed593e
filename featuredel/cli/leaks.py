"""Commands that look for traces of deleted code."""

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from featuredel.cli import options
from featuredel.errors import Rejected
from featuredel.leaks.asked import needles_asked_for
from featuredel.leaks.plant.report import markdown
from featuredel.leaks.plant.table import chosen_makings
from featuredel.leaks.roots import roots_of
from featuredel.leaks.scan import scan as scan_roots
from featuredel.sandbox.table import open_sandbox
from featuredel.tasks.leaks import leak_report
from featuredel.tasks.plant import plant as plant_tasks
from featuredel.tasks.read import read
from featuredel.tasks.workplace import prepared


@click.group()
def leaks() -> None:
    """Look for traces of deleted code."""


@leaks.command("task")
@click.argument("dataset")
@click.argument("task")
@options.with_environments
def leaks_task(dataset: str, task: str, sandbox: Any, work: Path, ensure: Any) -> int:
    """Scan everything that a solver of TASK gets, and print the report as JSON.

    Needles are in it as hashes only. The exit code is 1 if a trace is found.
    """
    try:
        report = leak_report(read(dataset, task), dataset, ensure, sandbox, work)
    except Rejected as why:  # too little to look for, or the answer stands elsewhere
        click.echo(f"featuredel: {why}", err=True)
        return 1
    click.echo(report.text)
    return 1 if report.findings else 0


@leaks.command()
@click.argument("places", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--needles", type=options.PATH, default=None, help="JSON list of needles: kind and text."
)
@click.option("--code", type=options.PATH, multiple=True, help="Source that must not be found.")
@click.option("--paths/--no-paths", default=True, help="Names that a task must not hold, too.")
@options.as_json
def scan(
    places: tuple[str, ...], needles: Path | None, code: tuple[Path, ...], paths: bool,
    as_json: bool,
) -> int:  # fmt: skip
    """Look for needles in every view of every file at PATH, whatever its format.

    Says where, in which view, which needle. Exits with 1 if there is a finding.
    """
    asked = needles_asked_for(needles, code)
    with contextlib.ExitStack() as stack:
        roots = [root for place in places for root in stack.enter_context(roots_of(place))]
        scanned = scan_roots(roots, asked, path_rules=paths)
    if as_json:
        click.echo(json.dumps({**dataclasses.asdict(scanned), "needles": len(asked)}))
    else:
        for finding in scanned.findings:
            click.echo(str(finding))
        click.echo(
            f"{len(scanned.findings)} findings; {len(asked)} needles, {scanned.files} files,"
            f" {scanned.views} views, {scanned.bytes} bytes",
            err=True,
        )
    return 1 if scanned.findings else 0


@leaks.command("plant")
@click.argument("dataset")
@click.argument("tasks", nargs=-1)
@click.option("--only", multiple=True, help="Only this family or making; may be repeated.")
@click.option("--sample", is_flag=True, help="Only makings that take a moment.")
@options.sandbox
@options.work
@options.as_json
def leaks_plant(
    dataset: str, tasks: tuple[str, ...], only: tuple[str, ...], sample: bool, sandbox: str,
    work: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Put the answers of TASKS into every artefact that keeps code, and see whether the scan tells.

    Without TASKS, it is the largest of each repository. Tools are fetched once, into the work
    directory. The exit code is 1 if something is missed, or a tool that is there fails.
    """
    makings = chosen_makings(only, sampled=sample)
    where = prepared(work)

    def told(name: str, seconds: float) -> None:
        click.echo(f"{name}: {seconds:.1f} s", err=True)

    recalls = list(plant_tasks(dataset, tasks, makings, open_sandbox(sandbox), where, told))
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(recall) for recall in recalls]))
    else:
        click.echo(markdown(recalls), nl=False)
    return 1 if any(recall.missed or recall.broken for recall in recalls) else 0
