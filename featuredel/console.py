"""What people see: a run as it goes on, a dataset, a task, this machine."""

import json
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax
from rich.table import Table

from featuredel import tables
from featuredel.config import Config
from featuredel.model import Rejection, Task
from featuredel.progress import Display, Lively, Plain, funnel
from featuredel.tasks.predictions import Prediction, read_predictions
from featuredel.tasks.rewards import Graded, Row, open_rewards, row_of, summary
from featuredel.tasks.workplace import prepared

if TYPE_CHECKING:
    from featuredel.run.dataset import Outcome

_PIPE_COLUMNS = 1000
_WIDE_COLUMNS = 120


def run_and_show(
    config: Config, dataset: str, work: Path | None = None, *,
    scheduler: str | None = None, workers: int = 2, as_json: bool = False,
) -> int:  # fmt: skip
    """Run, show the progress and the funnel, and return the exit code.

    0 done, 2 something is for the user to mend, 3 a machine or a network failed, 130 Ctrl-C.
    """
    # dask is most of the time that other commands take to start
    from featuredel.run.dataset import run

    console = Console(stderr=as_json)
    tables.check_destination(dataset)
    where = prepared(work)

    def go(display: Display) -> "Outcome":
        return run(config, dataset, where, display, scheduler=scheduler, workers=workers)

    if console.is_terminal:
        with Lively(console) as display:
            outcome = go(display)
    else:
        outcome = go(Plain(console))
    console.print(funnel(outcome.board))
    for failure in outcome.failures:
        text = f"not finished: {failure.what}"
        console.print(text, markup=False, highlight=False, soft_wrap=True)
    if as_json:
        print(json.dumps(_as_json(outcome, dataset)))
    elif outcome.written:
        console.print(f"data: {dataset}", soft_wrap=True, highlight=False)
    else:
        console.print("no repository came to an end: nothing is written", highlight=False)
    if outcome.interrupted:
        console.print("interrupted; the same command continues where this one stopped")
        return 128 + signal.SIGINT
    if outcome.failures:
        return 2 if all(failure.usage for failure in outcome.failures) else 3
    return 0


def grade_and_show(
    dataset: str, predictions: Path, out: Path | None = None, *, sandbox: str = "auto",
    base_image: str = "", work: Path | None = None, scheduler: str | None = None, workers: int = 2,
) -> int:  # fmt: skip
    """Grade the predictions of a file, write a line for each, sum up, and return the exit code.

    The lines go to `out`, where those that are there already are not graded again, or else to
    standard output. 0 all have a reward, 2 something is for the user to mend, 3 a machine or a
    network failed, 130 Ctrl-C.
    """
    from featuredel.run.batch import Grader, grade_batch

    console = Console(stderr=True)
    tables.check_has_tasks(dataset)
    known = {row[0] for row in tables.read_columns(dataset, "tasks", ["task_id"])}
    asked = read_predictions(predictions, known)
    grader = Grader(dataset, sandbox, base_image, work, scheduler, workers)
    failures: list[Graded] = []
    with open_rewards(out) as rewards:
        left = [prediction for prediction in asked if not rewards.has(prediction)]
        if len(left) < len(asked):
            _say(console, f"{len(asked) - len(left)} of {len(asked)} have their reward already")

        def tell(prediction: Prediction, graded: Graded) -> None:
            row = row_of(prediction, graded)
            rewards.add(row)
            failures.extend([graded] if graded.error else [])
            _say(console, _came_of(row))

        finished = not left or grade_batch(left, grader, tell)
        for line in summary(asked, rewards.rows):
            _say(console, line)
    if not finished:
        _say(console, "interrupted; the same command continues where this one stopped")
        return 128 + signal.SIGINT
    if failures:
        return 2 if all(failure.usage for failure in failures) else 3
    return 0


def _came_of(row: Row) -> str:
    what = f"{row['instance_id']} {row['model']}".strip()
    if row["error"]:
        return f"{what}: not graded: {row['error']}"
    why = row["reason"] or ("a control is broken" if row["tampered"] else "")
    return f"{what}: {row['reward']:g}" + (f" ({why})" if why else "")


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _as_json(outcome: "Outcome", dataset: str) -> dict[str, Any]:
    return {
        "dataset": dataset if outcome.written else None,
        "interrupted": outcome.interrupted,
        "failures": [failure.what for failure in outcome.failures],
        "repositories": {
            line.repository: {
                "state": line.state,
                "features": line.candidates,
                "tried": line.accepted + line.rejected,
                "accepted": line.accepted,
                "rejected": line.rejected,
                "reason": line.reason,
            }
            for line in outcome.board.lines.values()
        },
    }


def show_dataset(tasks: Sequence[Task], rejections: Iterable[Rejection]) -> None:
    """Print what a dataset holds."""
    console = _console()
    table = Table(title=_counted(len(tasks), "task"))
    columns: dict[str, Callable[[Task], str]] = {
        "task": lambda t: t.task_id, "repository": lambda t: t.repository,
        "form": lambda t: t.form, "tier": lambda t: t.tier, "lines": lambda t: str(t.gold_lines),
        "files": lambda t: str(t.gold_files), "F2P": lambda t: str(t.f2p_count),
        "feature": lambda t: t.feature,
    }  # fmt: skip
    if console.width < _WIDE_COLUMNS:  # the feature's name begins with the repository's, mostly
        del columns["repository"], columns["form"]
    for column in columns:
        table.add_column(
            column, justify="right" if column in ("lines", "files", "F2P") else "left",
            no_wrap=column != "feature", overflow="fold",
        )  # fmt: skip
    for task in tasks:
        table.add_row(*(shown(task) for shown in columns.values()))
    console.print(table)
    count = Counter((r.stage, r.reason) for r in rejections)
    if count:
        console.print(_reasons(count))


def _console() -> Console:
    """Return a console as wide as the terminal, or for a pipe as wide as what is printed."""
    console = Console()
    if not console.is_terminal:
        console.width = _PIPE_COLUMNS
    return console


def _counted(number: int, noun: str) -> str:
    """Return how many there are of something, in words."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _reasons(count: Counter[tuple[str, str]]) -> Table:
    table = Table(title=_counted(count.total(), "rejection"))
    for column in ("stage", "reason", "number"):
        table.add_column(column)
    for (stage, reason), number in sorted(count.items()):
        table.add_row(stage, reason, str(number))
    return table


def show_rejections(rejections: Iterable[Rejection]) -> None:
    """Print every rejection with its detail."""
    console = Console()
    for r in rejections:
        console.print(f"[bold]{r.repository}[/] {r.stage}: {r.reason}", highlight=False)
        console.print(f"  {r.subject}", markup=False, highlight=False, soft_wrap=True)
        if r.detail:
            console.print(f"  {r.detail[:500]}", style="dim", markup=False, soft_wrap=True)


def show_task(task: Task, statement: str) -> None:
    """Print a task: its numbers, its statement, and its gold patch in colours."""
    console = Console()
    table = Table(show_header=False, title=f"{task.task_id}  {task.feature}")
    facts = {
        "repository": f"{task.repository} ({task.source})",
        "licence": task.licence,
        "form, tier": f"{task.form}, {task.tier}",
        "difficulty": f"full {task.difficulty.full:.2f}, interface"
        f" {task.difficulty.interface:.2f}, terse {task.difficulty.terse:.2f}",
        "gold": f"{task.gold_lines} lines, {task.gold_files} files,"
        f" {task.gold_definitions} definitions",
        "tests": f"{task.f2p_count} F2P, {task.p2p_count} P2P",
        "reward strength": "unknown" if task.reward_strength is None
        else f"{task.reward_strength:.2f} of {task.mutants} mutants",
        "gates": ", ".join(f"{gate.name} {gate.outcome}" for gate in task.gates),
    }  # fmt: skip
    for name, value in facts.items():
        table.add_row(name, value)
    console.print(table)
    console.print(Markdown(statement))
    patch = task.gold_patch.decode("utf-8", "replace")
    console.print(Syntax(patch, "diff", word_wrap=True, background_color="default"))
