"""A solver that does not solve: it searches its sandbox for what was deleted.

`python -m bench.search DATASET [TASK ...]` lets it look for every secret needle of written tasks
and says what it came upon, in a section of RESULTS.md too; nothing is what is wanted.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from bench.results import machine, table, write_section
from featuredel import cli, tables
from featuredel.config import Settings
from featuredel.gates.leaks import base_for, secrets, untold
from featuredel.languages import front_end
from featuredel.leaks.needles import Needle, Needles
from featuredel.model import Environment, Statement, Task, TestRequest
from featuredel.patches import added_text
from featuredel.sandbox import Limits
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.scratch import scratch_directory
from featuredel.stages.environment import rebuild
from featuredel.tasks.materialize import materialize
from featuredel.tasks.read import delete_feature, read, recorded_environment, unpack_snapshot
from featuredel.tasks.workplace import prepared

HEAD = """## Leaks: a solver that only searches

A shell in the task's sandbox, without a network, looks for every secret needle with {tools}, zcat
and python -m dis. On {machine}.
"""
SCRIPT = Path(__file__).with_name("searching_solver.sh")
TOOLS = ("find", "git", "grep", "sqlite3", "strings", "unzip")
"""What the script needs of the machine."""


def search(solver: Path, environment: Environment, needles: Needles, places: str = "") -> set[str]:
    """Return "tool: needle" for each that a shell in the sandbox of the task comes upon.

    `places` are looked through with every tool, instead of all that belongs to the task.
    """
    command = front_end("python").test_command(environment, (), TestRequest())
    layers = (environment.products, solver) if environment.products else (solver,)
    result = Bubblewrap().run(
        replace(
            command, layers=layers,
            argv=("/bin/bash", "-c", SCRIPT.read_text(), "", *places.split()),
            stdin="".join(f"{line}\n" for line in _lines(needles.secret)).encode(),
            limits=Limits(
                wall_s=900.0, cpu_s=1800.0, memory_bytes=8 << 30, file_bytes=2 << 30,
                scratch_bytes=4 << 30,
            ),
        )
    )  # fmt: skip
    assert result.ended == "exited", result
    assert result.exit_code == 0, result.stderr.decode()[-2000:]
    return set(result.stdout.decode(errors="replace").splitlines())


def secrets_of_task(task: Task, tree: Path, environment: Environment, work: Path) -> Needles:
    """Return the secret needles of a task from which `tree` is left."""
    base = base_for(front_end(task.language), environment, Bubblewrap(), work)
    statement = Statement(task.statement_full, task.statement_interface, task.statement_terse)
    found = secrets(added_text(task.gold_patch), tree, base)
    return untold(found, statement, task.hidden_files).needles


def _lines(needles: Iterable[Needle]) -> Iterable[str]:
    for needle in needles:
        if needle.kind == "identifier" or (needle.kind == "string" and _is_name(needle.text)):
            yield f"w {needle.text}"
        elif needle.kind == "string":
            yield f"f {needle.text}"
        elif needle.kind in ("kgram", "sentence"):
            yield f"k {''.join(needle.text.split())}"


def _is_name(text: str) -> bool:
    return text.replace("_", "").isalnum()


@click.command()
@click.argument("dataset")
@click.argument("tasks", nargs=-1)
@click.option("--work", type=click.Path(path_type=Path), default=None)
def main(dataset: str, tasks: tuple[str, ...], work: Path | None) -> int:
    """Search the sandboxes of the tasks of DATASET."""
    rows = [read(dataset, task) for task in tasks] or list(tables.read_tasks(dataset))
    where = prepared(work)
    failed, told = 0, []
    for task in rows:
        with scratch_directory(where) as scratch:
            tree, solver = scratch / "tree", scratch / "solver"
            snapshot = unpack_snapshot(dataset, task, tree)
            row = recorded_environment(dataset, task)
            environment = rebuild(row, snapshot, Bubblewrap(), where, Settings())
            delete_feature(dataset, task, tree)
            needles = secrets_of_task(task, tree, environment, where)
            materialize(task, dataset, solver, "full" if task.statement_full else "terse")
            found = search(solver, environment, needles)
        failed += bool(found)
        told.append((task.repository, task.feature, len(needles), len(found)))
        click.echo(f"{task.repository} {task.feature}: {len(needles)} needles, {len(found)} found")
        for line in sorted(found):
            click.echo(f"    {line}")
    text = table(("project", "feature", "needles", "found"), told)
    head = HEAD.format(tools=", ".join(TOOLS), machine=machine())
    write_section("search", "make bench-search", f"{head}\n{text}")
    return 1 if failed else 0


if __name__ == "__main__":
    cli.main(main)
