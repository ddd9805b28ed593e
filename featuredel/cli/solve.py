"""The command that lets a model try tasks."""

import dataclasses
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from featuredel.api import Task, load
from featuredel.cli import options
from featuredel.errors import UsageError
from featuredel.model import Attempt, SolveRate
from featuredel.solve.attempt import Bounds, Job
from featuredel.solve.batch import solve as solve_all
from featuredel.solve.chat import Chat, Server
from featuredel.solve.outcomes import open_outcomes, solve_rates
from featuredel.tasks.workplace import Workplace

USUAL = Bounds()


@click.command()
@click.argument("dataset")
@click.argument("tasks", nargs=-1)
@click.option("--endpoint", required=True, help="URL of the server: http://host:8000/v1")
@click.option("--model", required=True, help="Its name of the model.")
@click.option("--api-key-env", default="", help="The variable that holds the key, if one is asked.")
@options.register
@click.option("--attempts", type=click.IntRange(1), default=1, show_default=True)
@click.option("--turns", type=click.IntRange(1), default=USUAL.turns, show_default=True)
@click.option(
    "--minutes", type=options.Finite(0, min_open=True), default=USUAL.total_s / 60,
    show_default=True, help="Of an attempt, after which no turn begins.",
)  # fmt: skip
@click.option(
    "--command-seconds", type=options.Finite(0, min_open=True), default=USUAL.command_s,
    show_default=True, help="Of a command.",
)  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(1), default=None, help="Of an answer.")
@click.option("--temperature", type=options.Finite(0), default=None)
@click.option("--settings", default="{}", help="More of each request, as a JSON object.")
@click.option("--tools/--no-tools", default=True, help="Offer tools, or ask for blocks alone.")
@click.option("--retries", type=click.IntRange(0), default=6, show_default=True, help="Of a call.")
@click.option("--honeytokens", is_flag=True, help="Plant leftovers that nobody honest reads.")
@click.option("--workers", type=click.IntRange(1), default=4, show_default=True)
@click.option("--out", type=options.PATH, default=Path("data/solve"), show_default=True)
@options.sandbox
@options.base_image
@options.work
@options.as_json
def solve(
    dataset: str, tasks: tuple[str, ...], endpoint: str, model: str, api_key_env: str,
    register: Any, attempts: int, turns: int, minutes: float, command_seconds: float,
    max_tokens: int | None, temperature: float | None, settings: str, tools: bool, retries: int,
    honeytokens: bool, workers: int, out: Path, sandbox: str, base_image: str, work: Path | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Let a model behind a chat-completions server try tasks, and record what it earns.

    Writes trajectories (ATIF), outcomes.parquet and solve_rates.parquet to --out. Attempts that
    are there already are not made again, but for those that ended in an error.
    """
    given = {"max_tokens": max_tokens, "temperature": temperature}
    more = {**_object(settings), **{name: one for name, one in given.items() if one is not None}}
    chat = Chat(Server(endpoint, model, _key(api_key_env), more, tools, retries))
    bounds = Bounds(turns, minutes * 60, command_seconds)
    Workplace.open(sandbox, base_image, work)
    loaded = load(dataset, sandbox=sandbox, base_image=base_image, work=work)
    chosen = [loaded[task] for task in tasks] or [t for t in loaded if register in t.registers]
    offered = _offered(chosen, register)
    jobs = [
        Job(task, register, model, number + 1, honeytokens)
        for number in range(attempts)
        for task in offered
    ]
    with open_outcomes(out) as outcomes:
        solve_all(jobs, chat, bounds, outcomes, workers, _tell)
        rows = [outcomes.rows[job.key] for job in jobs]
    _show(solve_rates(rows), as_json)
    return 3 if any(row.ended == "error" for row in rows) else 0


def _object(settings: str) -> dict[str, Any]:
    try:
        found = json.loads(settings)
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()  # as it will be sent
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--settings: {error}; give a JSON object") from error
    if not isinstance(found, dict):
        raise UsageError(f"--settings {settings}: give a JSON object")
    return found


def _key(variable: str) -> str:
    """Return the key that an environment variable holds."""
    key = os.environ.get(variable, "") if variable else ""
    if variable and not key:
        raise UsageError(f"--api-key-env {variable}: is not set; export it first")
    if not (key.isascii() and key.isprintable()):
        raise UsageError(f"--api-key-env {variable}: holds what no header can; see to its value")
    return key


def _offered(tasks: Iterable[Task], register: Any) -> list[Task]:
    """Return the tasks, each once. Raises `UsageError` for one that lacks the register."""
    found = {task.id: task for task in tasks}
    for task in found.values():
        task.statement(register)
    return list(found.values())


def _tell(row: Attempt) -> None:
    what = f"{row.repository} {row.task_id} {row.attempt}: {row.turns} turns, {row.ended}"
    alarms = f", {row.blocks + row.flags} alarms" if row.blocks + row.flags else ""
    earned = row.error if row.reward is None else f"reward {row.reward:g}{alarms}"
    click.echo(f"{what}: {earned}", err=True)


def _show(rates: list[SolveRate], as_json: bool) -> None:
    if as_json:
        for rate in rates:
            click.echo(json.dumps(dataclasses.asdict(rate)))
        return
    attempts, solved = sum(r.attempts for r in rates), sum(r.solved for r in rates)
    suspect = sum(r.suspect for r in rates)
    click.echo(f"{solved} of {attempts} attempts solved their task, {suspect} of them with alarms")
