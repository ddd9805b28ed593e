"""The command line: click, and no logic.

    options    what several commands have
    tasks      inspect, materialize, shell, grade, check
    leaks      leaks scan, task, plant
    images     image, base-image, clean
    monitor    monitor
    selection  calibrate, select
    solve      solve
    export     export, with a command for each consumer

Exit codes: 0 done, 1 a check found faults, a scan leaks or the monitor something, 2 the user can
mend it, 3 infrastructure; 130, 141 and 143 as shells say it of a program that Ctrl-C, a reader
that went away or SIGTERM ended.
"""

import dataclasses
import errno
import io
import json
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

import click

from featuredel import __version__, console
from featuredel.cli import export, images, leaks, monitor, options, selection, solve, tasks
from featuredel.config import load
from featuredel.doctor import examine
from featuredel.errors import FeaturedelError, InfrastructureError
from featuredel.sandbox.table import BACK_ENDS

_OF_MACHINES = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
)
"""What the kernel says of a machine that is full or broken, and not of what was asked."""


def main(command: click.Command | None = None) -> NoReturn:
    """Run a command, the whole command line if none is given, and exit with its code.

    Errors that featuredel knows are one line without a traceback.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may speak no or other UTF-8
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_ended_by(signal.SIGTERM)))
    try:
        code = (command or cli).main(standalone_mode=False)
    except click.ClickException as error:
        click.echo(_told(error), err=True)
        code = 2
    except FeaturedelError as error:
        click.echo(f"featuredel: {error}", err=True)
        code = 3 if isinstance(error, InfrastructureError) else 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"featuredel: {where}{error.strerror or error}", err=True)
        code = 3 if error.errno in _OF_MACHINES else 2
    except (KeyboardInterrupt, click.Abort):
        code = _ended_by(signal.SIGINT)
    except SystemExit as left:  # click's answer to a reader that has gone is 1
        code = _ended_by(signal.SIGPIPE) if left.code == 1 else left.code
    sys.exit(code or 0)


def _told(error: click.ClickException) -> str:
    """Return an error as one line; for a group without a command, to click an error, its help."""
    context, message = getattr(error, "ctx", None), error.format_message()
    if context and message == context.get_help():
        return message
    asked = f"; see {context.command_path} --help" if context else ""
    return f"featuredel: {message.rstrip('.')}{asked}"


def _ended_by(number: signal.Signals) -> int:
    """Return what shells say of a program that a signal ended."""
    return 128 + number


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def cli() -> None:
    """Turn test-heavy repositories into reinforcement-learning tasks by feature deletion."""


@click.command()
@click.argument("repos", type=options.PATH)
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
@options.work
@options.as_json
def run(
    repos: Path, dataset: str, only: tuple[str, ...], seed: int | None, workers: int,
    scheduler: str | None, sandbox: str | None, work: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Make tasks from the repositories that REPOS (a repos.yaml) lists."""
    config = load(repos).narrowed(only, seed, sandbox)
    return console.run_and_show(
        config, dataset, work, scheduler=scheduler, workers=workers, as_json=as_json
    )


@click.command()
@options.as_json
def doctor(as_json: bool) -> int:
    """Say what this machine has and lacks."""
    findings = examine()
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(finding) for finding in findings]))
    else:
        for finding in findings:
            click.echo(f"{'ok  ' if finding.fine else 'LACK'}  {finding.what}: {finding.detail}")
    return 0 if all(finding.fine or not finding.needed for finding in findings) else 3


for command in (
    run, tasks.inspect, tasks.materialize, tasks.shell, tasks.grade, tasks.check, leaks.leaks,
    images.image, images.base_image, images.clean, monitor.monitor, solve.solve,
    selection.calibrate, selection.select, export.export, doctor,
):  # fmt: skip
    cli.add_command(command)
