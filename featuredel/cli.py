"""The command line: click, and no logic.

Exit codes: 0 done, 1 a check found faults or a scan leaks, 2 the user can mend it, 3
infrastructure; 130, 141 and 143 as shells say it of a program that Ctrl-C, a reader that went away
or SIGTERM ended.
"""

import contextlib
import dataclasses
import functools
import io
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from featuredel import __version__, console, tables
from featuredel.config import Settings, load
from featuredel.doctor import examine
from featuredel.errors import FeaturedelError, InfrastructureError, Rejected, UsageError
from featuredel.leaks.asked import needles_asked_for
from featuredel.leaks.plant.report import markdown
from featuredel.leaks.plant.table import chosen_makings
from featuredel.leaks.roots import roots_of
from featuredel.leaks.scan import scan as scan_roots
from featuredel.model import Environment, EnvironmentRow, Rejection, Snapshot, Task
from featuredel.sandbox.table import BACK_ENDS, open_sandbox
from featuredel.scratch import sweep
from featuredel.stages.environment import rebuild
from featuredel.tasks.check import check as check_task
from featuredel.tasks.grade import grade as grade_task
from featuredel.tasks.leaks import leak_report
from featuredel.tasks.materialize import materialize as materialize_task
from featuredel.tasks.materialize import statement_of
from featuredel.tasks.plant import plant as plant_tasks
from featuredel.tasks.read import read

_PATH = click.Path(path_type=Path)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
_work = click.option(
    "--work", type=_PATH, default=None, help="Caches and environments; default: your cache folder."
)
_SANDBOXES = "auto, bubblewrap, docker or none"
_sandbox = click.option("--sandbox", default="auto", help=f"{_SANDBOXES}.")
_base_image = click.option(
    "--base-image", default="", help="Of the sandbox docker: NAME@sha256:... or an id."
)


def main(command: click.Command | None = None) -> NoReturn:
    """Run a command, the whole command line if none is given, and exit with its code.

    Errors that featuredel knows are one line without a traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # the terminal may know less than UTF-8
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_ended_by(signal.SIGTERM)))
    try:
        code = (command or cli).main(standalone_mode=False)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        asked = f"; see {context.command_path} --help" if context else ""
        click.echo(f"featuredel: {error.format_message().rstrip('.')}{asked}", err=True)
        code = 2
    except FeaturedelError as error:
        click.echo(f"featuredel: {error}", err=True)
        code = 3 if isinstance(error, InfrastructureError) else 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"featuredel: {where}{error.strerror or error}", err=True)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        code = _ended_by(signal.SIGINT)
    except SystemExit as left:  # click's answer to a reader that has gone is 1
        code = _ended_by(signal.SIGPIPE) if left.code == 1 else left.code
    sys.exit(code or 0)


def _ended_by(number: signal.Signals) -> int:
    """Return what shells say of a program that a signal ended."""
    return 128 + number


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def cli() -> None:
    """Turn test-heavy repositories into reinforcement-learning tasks by feature deletion."""


@cli.command()
@click.argument("repos", type=_PATH)
@click.option(
    "--out",
    "dataset",
    default="data/tasks",
    show_default=True,
    help="Dataset folder or URL to write.",
)
@click.option("--only", multiple=True, help="Only the repository of this name; may be repeated.")
@click.option(
    "--seed", type=click.IntRange(0, 1 << 53), default=None, help="Of all that is chosen at random."
)
@click.option("--workers", type=click.IntRange(1), default=os.cpu_count() or 1, show_default=True)
@click.option("--scheduler", default=None, help="Address of a running dask scheduler.")
@click.option(
    "--sandbox", type=click.Choice(["auto", *BACK_ENDS]), default=None, help="Instead of REPOS'."
)
@_work
@_json
def run(
    repos: Path, dataset: str, only: tuple[str, ...], seed: int | None, workers: int,
    scheduler: str | None, sandbox: str | None, work: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Make tasks from the repositories that REPOS (a repos.yaml) lists."""
    config = load(repos).narrowed(only, seed, sandbox)
    return console.run_and_show(
        config, dataset, work, scheduler=scheduler, workers=workers, as_json=as_json
    )


@cli.command()
@click.argument("dataset")
@click.argument("task", required=False)
@click.option("--repository", default=None, help="Only what came of this repository.")
@click.option("--rejections", is_flag=True, help="Every rejection with its detail.")
@click.option("--register", type=click.Choice(["full", "interface", "terse"]), default="full")
@click.option("--gold", is_flag=True, help="Only the gold patch of TASK, as git apply takes it.")
@_json
def inspect(
    dataset: str, task: str | None, repository: str | None, rejections: bool, register: Any,
    gold: bool, as_json: bool,
) -> None:  # fmt: skip
    """Show what a dataset, one of its repositories, or one TASK holds."""
    if gold and task is None:
        raise UsageError("--gold needs a TASK")
    if task is not None:
        row = read(dataset, task)
        if gold:
            click.echo(row.gold_patch, nl=False)
        elif as_json:
            click.echo(json.dumps(tables.jsonable(row)))
        else:
            console.show_task(row, statement_of(row, register))
        return
    where = {"repository": repository} if repository else {}
    tasks = list(tables.read_tasks(dataset, **where))
    turned_down = list(tables.read_rows(dataset, "rejections", Rejection, where))
    if repository is not None and not tasks and not turned_down:
        known = ", ".join(tables.repositories(dataset))
        raise UsageError(f"{dataset}: nothing of a repository {repository!r}; there are {known}")
    if as_json:
        rows: list[Task] | list[Rejection] = turned_down if rejections else tasks
        click.echo(json.dumps([tables.jsonable(row) for row in rows]))
    elif rejections:
        console.show_rejections(turned_down)
    else:
        console.show_dataset(tasks, turned_down)


@cli.command()
@click.argument("dataset")
@click.argument("task")
@click.argument("directory", type=_PATH)
@click.option("--register", type=click.Choice(["full", "interface", "terse"]), default="full")
@_json
def materialize(dataset: str, task: str, directory: Path, register: Any, as_json: bool) -> None:
    """Write the tree that a solver of TASK is given to DIRECTORY."""
    statement = materialize_task(read(dataset, task), dataset, directory, register)
    told = {"directory": str(directory), "statement": str(statement)}
    click.echo(json.dumps(told) if as_json else f"{directory}: read {statement.name} first")


def _with_environments(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `sandbox`, `work` and `ensure` in place of its options."""

    @_sandbox
    @_base_image
    @_work
    @functools.wraps(command)
    def wrapped(sandbox: str, base_image: str, work: Path | None, **arguments: Any) -> Any:
        opened = open_sandbox(sandbox, base_image)
        where = (work or console.work_directory()).resolve()
        where.mkdir(parents=True, exist_ok=True)
        sweep(where)

        def ensure(row: EnvironmentRow, snapshot: Snapshot) -> Environment:
            return rebuild(row, snapshot, opened, where, Settings())

        return command(sandbox=opened, work=where, ensure=ensure, **arguments)

    return wrapped


@cli.command()
@click.argument("dataset")
@click.argument("task")
@click.argument("solution", type=_PATH)
@_with_environments
def grade(dataset: str, task: str, solution: Path, sandbox: Any, work: Path, ensure: Any) -> None:
    """Print the reward of SOLUTION, a directory made by materialize or a diff of it, as JSON."""
    if not solution.exists():
        raise click.UsageError(f"{solution}: no such directory or diff")
    try:
        reward = grade_task(read(dataset, task), dataset, solution, ensure, sandbox, work)
    except Rejected as error:  # the environment, not the solution
        raise InfrastructureError(str(error)) from error
    click.echo(json.dumps(dataclasses.asdict(reward), sort_keys=True))


@cli.command()
@click.argument("dataset")
@click.argument("tasks", nargs=-1)
@click.option("--gates/--no-gates", default=True, help="Run every gate again at the end.")
@_with_environments
@_json
def check(
    dataset: str, tasks: tuple[str, ...], gates: bool, as_json: bool,
    sandbox: Any, work: Path, ensure: Any,
) -> int:  # fmt: skip
    """Prove the tasks of a written DATASET (or only TASKS) again, from their rows alone."""
    rows = [read(dataset, t) for t in dict.fromkeys(tasks)] or list(tables.read_tasks(dataset))
    faulty = 0
    for row in rows:
        found = check_task(row, dataset, ensure, sandbox, work, gates=gates)
        faulty += bool(found.faults)
        if as_json:
            click.echo(json.dumps(dataclasses.asdict(found)))
        else:
            click.echo(f"{found.task_id} {found.feature}: {'; '.join(found.faults) or 'holds'}")
    click.echo(f"{len(rows) - faulty} of {len(rows)} tasks hold", err=as_json)
    return 1 if faulty else 0


@cli.group()
def leaks() -> None:
    """Look for traces of deleted code."""


@leaks.command("task")
@click.argument("dataset")
@click.argument("task")
@_with_environments
def leaks_task(dataset: str, task: str, sandbox: Any, work: Path, ensure: Any) -> int:  # noqa: ARG001
    """Scan everything that a solver of TASK gets, and print the report as JSON.

    Needles are in it as hashes only. The exit code is 1 if a trace is found.
    """
    try:
        report = leak_report(read(dataset, task), dataset, ensure, work)
    except Rejected as why:  # too little to look for, or the answer stands elsewhere
        click.echo(f"featuredel: {why}", err=True)
        return 1
    click.echo(report.text)
    return 1 if report.findings else 0


@leaks.command()
@click.argument("places", metavar="PATH...", nargs=-1, required=True)
@click.option("--needles", type=_PATH, default=None, help="JSON list of needles: kind and text.")
@click.option("--code", type=_PATH, multiple=True, help="Source that must not be found.")
@click.option("--paths/--no-paths", default=True, help="Names that a task must not hold, too.")
@_json
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
@_sandbox
@_work
@_json
def leaks_plant(
    dataset: str, tasks: tuple[str, ...], only: tuple[str, ...], sample: bool, sandbox: str,
    work: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Put the answers of TASKS into every artefact that keeps code, and see whether the scan tells.

    Without TASKS, it is the largest of each repository. Tools are fetched once, into the work
    directory. The exit code is 1 if something is missed, or a tool that is there fails.
    """
    makings = chosen_makings(only, sampled=sample)
    where = (work or console.work_directory()).resolve()
    where.mkdir(parents=True, exist_ok=True)
    sweep(where)

    def told(name: str, seconds: float) -> None:
        click.echo(f"{name}: {seconds:.1f} s", err=True)

    recalls = list(plant_tasks(dataset, tasks, makings, open_sandbox(sandbox), where, told))
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(recall) for recall in recalls]))
    else:
        click.echo(markdown(recalls), nl=False)
    return 1 if any(recall.missed or recall.broken for recall in recalls) else 0


@cli.command()
@click.argument("dataset")
@click.argument("task")
@click.option("--register", type=click.Choice(["full", "interface", "terse"]), default="full")
@_base_image
@_work
@_json
def image(
    dataset: str, task: str, register: Any, base_image: str, work: Path | None, as_json: bool
) -> None:
    """Make the Docker image that a solver of TASK is given: base, environment and tree."""
    from featuredel.tasks.image import image as task_image

    where = (work or console.work_directory()).resolve()
    where.mkdir(parents=True, exist_ok=True)
    sweep(where)
    try:
        made = task_image(read(dataset, task), dataset, base_image, where, register)
    except Rejected as error:  # the environment
        raise InfrastructureError(str(error)) from error
    click.echo(json.dumps(dataclasses.asdict(made)) if as_json else f"{made.name} {made.id}")


@cli.command("base-image")
@click.option("--suite", default="", help="Of Debian; that of this machine by default.")
@click.option("--package", "packages", multiple=True, help="One package more; may be repeated.")
@_json
def base_image(suite: str, packages: tuple[str, ...], as_json: bool) -> None:
    """Build the base image of the sandbox docker, where no registry can be reached."""
    from featuredel.sandbox.docker.base import build_base

    made = build_base(suite, packages)
    told = {"id": made.id, "layers": made.layers}
    click.echo(json.dumps(told) if as_json else f"{made.id}\n  as base_image in repos.yaml")


@cli.command()
@click.option("--keep-base", is_flag=True, help="Leave base images, which take minutes to build.")
@_json
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


@cli.command()
@_json
def doctor(as_json: bool) -> int:
    """Say what this machine has and lacks."""
    findings = examine()
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(finding) for finding in findings]))
    else:
        for finding in findings:
            click.echo(f"{'ok  ' if finding.fine else 'LACK'}  {finding.what}: {finding.detail}")
    return 0 if all(finding.fine or not finding.needed for finding in findings) else 3
