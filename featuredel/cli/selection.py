"""Commands that measure difficulty by outcomes, and choose tasks by it.

numpy and scipy are an extra, and take longer to import than other commands take.
"""

import dataclasses
import importlib.util
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from featuredel import tables
from featuredel.cli import options
from featuredel.errors import UsageError
from featuredel.model import Register

if TYPE_CHECKING:
    from featuredel.selection.calibrate import Calibrated
    from featuredel.selection.choose import Pick
    from featuredel.selection.select import Selection

_SHOWN = 20

outcomes_of = click.option(
    "--outcomes",
    "files",
    type=options.PATH,
    multiple=True,
    help="JSON lines or Parquet; may be repeated.",
)
model = click.option("--model", default=None, help="Only outcomes of this model.")
half_life = click.option(
    "--half-life", type=options.Finite(0, min_open=True), default=None, metavar="ATTEMPTS",
    help="After so many later attempts an outcome counts for half.",
)  # fmt: skip


@click.command()
@click.argument("dataset")
@outcomes_of
@model
@half_life
@options.as_json
def calibrate(
    dataset: str, files: tuple[Path, ...], model: str | None, half_life: float | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Write difficulty and tier of the tasks of DATASET anew, from what became of attempts.

    The outcomes given are all that count, not those of an earlier call. Tasks without any profit
    from the others. Attempts that ended in an error are no outcomes.
    """
    _need_extra()
    from featuredel.selection.calibrate import calibrate as calibrate_dataset
    from featuredel.selection.outcomes import read_outcomes

    if not files:
        raise click.UsageError("give the files of --outcomes")
    outcomes, errors = read_outcomes(files, model)
    done = calibrate_dataset(dataset, outcomes, half_life)
    if as_json:
        click.echo(json.dumps({**dataclasses.asdict(done), "errors": errors}))
    else:
        _show_calibrated(done, errors)


@click.command()
@click.argument("dataset")
@click.option("--target", required=True, metavar="LOW..HIGH", help="Solve rates, as in 0.2..0.8.")
@click.option("--n", type=click.IntRange(1, 1 << 53), required=True, help="So many tasks.")
@outcomes_of
@model
@half_life
@click.option(
    "--register", type=click.Choice([*get_args(Register), "any"]), default="any",
    show_default=True,
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=None, help="To draw the same again.")
@click.option(
    "--explore", type=options.Finite(0, 1), default=0.1, show_default=True,
    help="Share of the batch for tasks that little is known of.",
)  # fmt: skip
@click.option("--out", default=None, help="Write the batch to FILE.jsonl or FILE.parquet.")
@options.as_json
def select(
    dataset: str, target: str, n: int, files: tuple[Path, ...], model: str | None,
    half_life: float | None, register: Any, seed: int | None, explore: float, out: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Draw N tasks of DATASET that are solved about as often as --target says.

    What is expected of a task comes from --outcomes, or else from what calibrate has written.
    Names the tasks that have become too easy, with harder ones to give instead of them.
    """
    _need_extra()
    from featuredel.selection.choose import Pick
    from featuredel.selection.outcomes import read_outcomes
    from featuredel.selection.select import select as select_tasks

    if out is not None and not out.endswith((".jsonl", ".parquet")):
        raise UsageError(f"--out {out}: give a name that ends in .jsonl or .parquet")
    if out is not None:
        tables.check_file(out)
    if not files and (model is not None or half_life is not None):
        raise click.UsageError("--model and --half-life are of outcomes; give --outcomes")
    drawn = random.SystemRandom().getrandbits(32) if seed is None else seed
    outcomes = read_outcomes(files, model)[0] if files else None
    only = None if register == "any" else register
    selection = select_tasks(
        dataset, _band(target), n, drawn, outcomes=outcomes, half_life=half_life, register=only,
        explore=explore,
    )  # fmt: skip
    if out is not None and out.endswith(".parquet"):
        tables.write_table(out, selection.picks, Pick)
    elif out is not None:
        tables.write_bytes(out, _lines(selection.picks).encode())
    if as_json:
        click.echo(json.dumps({"seed": drawn, **dataclasses.asdict(selection)}))
    else:
        _show_selection(selection)
        click.echo(f"seed: {drawn}", err=True)


def _need_extra() -> None:
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "scipy")):
        raise UsageError("numpy and scipy are missing; pip install 'featuredel[calibrate]'")


def _band(target: str) -> Any:
    from featuredel.selection.choose import Band

    low, _, high = target.partition("..")
    try:
        band = Band(float(low), float(high))
    except ValueError:
        band = None
    if band is None or not 0 <= band.low < band.high <= 1:
        raise UsageError(f"--target {target}: give two rates from 0 to 1, as in 0.2..0.8")
    return band


def _lines(picks: "Sequence[Pick]") -> str:
    return "".join(f"{json.dumps(dataclasses.asdict(pick))}\n" for pick in picks)


def _show_calibrated(done: "Calibrated", errors: int) -> None:
    click.echo(f"{done.attempts} outcomes of {done.tried} of {done.tasks} tasks", nl=False)
    click.echo(f"; {errors} errors, {done.strangers} of other tasks or registers")
    terms = ", ".join(f"{name} {value:+.2f}" for name, value in done.corrections.items())
    click.echo(f"corrections to the log odds of a solve: {terms}")
    click.echo(f"certainty of a task that nobody tried: {done.certainty:.1f} attempts")
    tiers = ", ".join(f"{name} {number}" for name, number in done.tiers.items())
    click.echo(f"tiers: {tiers}; {done.moved} tasks changed theirs")


def _show_selection(selection: "Selection") -> None:
    for pick in selection.picks:
        click.echo(
            f"{pick.task_id}  {pick.register:<9}  {pick.expected:.2f} ({pick.low:.2f} to"
            f" {pick.high:.2f})  {pick.why:<8}  {pick.repository}"
        )
    for one in selection.too_easy[:_SHOWN]:
        instead = ", ".join(
            f"{h.task_id} {h.register} {h.expected:.2f} ({h.how})" for h in one.harder
        )
        click.echo(
            f"too easy: {one.task_id} {one.register} {one.expected:.2f};"
            f" {f'instead {instead}' if instead else 'nothing harder is there'}"
        )
    if len(selection.too_easy) > _SHOWN:
        click.echo(f"too easy: {len(selection.too_easy) - _SHOWN} more; --json lists them")
    for note in selection.notes:
        click.echo(f"note: {note}", err=True)
