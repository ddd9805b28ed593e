"""python -m bench.selection DATASET: simulate, measure, and write a section of RESULTS.md."""

import dataclasses
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import numpy as np

from bench.results import machine, table, write_section
from bench.selection.accuracy import Accuracy, accuracy
from bench.selection.million import ATTEMPTS, BATCH, TRIED, measure
from bench.selection.training import Epoch, Setting, train
from bench.selection.world import REPOSITORIES, World, world
from featuredel import cli
from featuredel.selection.pool import ScoredPool, read_pool

SEEDS = range(5)
TASKS = 2000
MILLION = 1_000_000
STEP = 6
TRIES = (16, 64, 256, 1024)
SKILL = 0.5
WEAK = -4.0

HEAD = (
    "## Selection: a simulated learner\n\n"
    "No model was trained for this: the learner, the truth about tasks and all but the spread of"
    " the columns are simulated (`bench/selection/`). The columns of {tasks} tasks of"
    " {repositories} repositories are drawn from a normal distribution of their logarithms with"
    " the mean and covariance of the {like} real tasks of the dataset. How hard a task is goes by"
    " them, with other weights than the score has, and with noise of a standard deviation of 1 in"
    " log odds that no column tells. A learner of a skill solves a task with probability"
    " 1 / (1 + exp(hardness - skill)); its skill grows with what it solves of tasks that are truly"
    " in the band. Calibration and selection see outcomes and columns alone."
)


@click.command()
@click.argument("dataset")
@click.option("--million/--no-million", default=True, help="Time select on a million tasks.")
def main(dataset: str, million: bool) -> int:
    """Simulate a learner on tasks like those of DATASET; 1 if its batches leave the band."""
    like, setting = read_pool(dataset), Setting()
    worlds = [world(like, TASKS, np.random.default_rng(seed)) for seed in SEEDS]
    runs = [_trained(one, setting, seed) for seed, one in zip(SEEDS, worlds, strict=True)]
    errors = {
        n: [accuracy(one, n, ATTEMPTS, SKILL, s) for s, one in zip(SEEDS, worlds, strict=True)]
        for n in TRIES
    }
    head = HEAD.format(tasks=TASKS, repositories=REPOSITORIES, like=len(like.task_ids))
    parts = [head, f"On {machine()}.", _told(runs, setting), _told_errors(errors)]
    if million:
        parts.append(_told_million(like))
    text = "\n\n".join(parts)
    click.echo(text)
    write_section("selection", "make bench-selection", text)
    return int(any(_outside(run["select"], setting) for run in runs))


Run = dict[str, list[Epoch]]


def _trained(one: World, setting: Setting, seed: int) -> Run:
    chosen = train(one, setting, seed, chosen=True)
    undated = dataclasses.replace(setting, half_life=None)
    weak = dataclasses.replace(setting, start=WEAK)
    return {
        "select": chosen,
        "even, same skill": train(
            one, setting, seed, chosen=False, skills=[epoch.skill for epoch in chosen]
        ),
        "even": train(one, setting, seed, chosen=False),
        "no half-life": train(one, undated, seed, chosen=True),
        "weaker start": train(one, weak, seed, chosen=True),
    }


def _outside(epochs: Iterable[Epoch], setting: Setting) -> int:
    """Return in how many epochs the batch's solve rate was not in the band."""
    return sum(not setting.band.low <= e.solved <= setting.band.high for e in epochs)


def _told(runs: Sequence[Run], setting: Setting) -> str:
    names = list(runs[0])
    shown = [*range(0, setting.epochs, STEP), setting.epochs - 1]
    rows = [
        (number, *(_spread([run[name][number].solved for run in runs]) for name in names))
        for number in dict.fromkeys(shown)
    ]
    sums = [
        (
            name,
            " ".join(str(_outside(run[name], setting)) for run in runs),
            f"{np.mean([e.in_band for run in runs for e in run[name]]):.2f}",
            _spread([run[name][-1].skill for run in runs]),
        )
        for name in names
    ]
    return (
        f"Band {setting.band.low} to {setting.band.high}; {setting.epochs} batches of"
        f" {setting.batch} tasks with {setting.attempts} attempts each; {len(runs)} worlds, each"
        " with its seed. `select` has a half-life of"
        f" {setting.half_life:.0f} attempts, one batch; `even, same skill` draws tasks evenly for"
        " the learner as it was in the same epoch of `select`; `even` has a learner of its own,"
        " which lives on those batches; `no half-life` is `select` where old outcomes count like"
        " new ones; `weaker start` is `select` for a learner that begins with a skill of"
        f" {WEAK} instead of {setting.start}, where the score, which knows no learner, is far from"
        " the truth. The share of a batch that was solved, mean and range over the worlds:\n\n"
        + table(("epoch", *names), rows)
        + f"\n\nOver the training, of {setting.epochs} epochs:\n\n"
        + table(
            (
                "batches", "epochs outside the band, by world", "tasks truly in the band",
                "skill at the end",
            ),
            sums,
        )
    )  # fmt: skip


def _spread(values: Sequence[float]) -> str:
    return f"{np.mean(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def _told_errors(errors: dict[int, list[Accuracy]]) -> str:
    rows = [
        (n, *(f"{np.mean(column):.3f}" for column in zip(*map(dataclasses.astuple, found),
                                                         strict=True)))
        for n, found in errors.items()
    ]  # fmt: skip
    return (
        f"Root mean squared error of solve rates after some tasks were tried {ATTEMPTS} times each,"
        f" by a learner of skill {SKILL}, and the share of true rates that the 90 % intervals hold."
        " `score` is the score alone, which knows no learner; `best shift` the same where one"
        " number, the best there is, is added to all its log odds; `share` takes solved of"
        " attempts for the rate.\n\n"
        + table(
            (
                "tried", "score", "best shift", "posterior, tried", "share, tried",
                "posterior, untried", "held, tried", "held, untried",
            ),
            rows,
        )
    )  # fmt: skip


def _told_million(like: ScoredPool) -> str:
    with tempfile.TemporaryDirectory(prefix="bench-selection-") as folder:
        taken = measure(like, MILLION, Path(folder))
    rows = [
        (
            one.what, f"{one.wall_s:.1f}", f"{one.cpu_s:.1f}",
            "" if one.peak_mb is None else f"{one.peak_mb:.0f}",
        )
        for one in taken
    ]  # fmt: skip
    return (
        f"{MILLION:,} tasks, of which the dataset holds only the columns that are read, in row"
        f" groups of 16 as real ones; {TRIED:,} of them tried; batches of {BATCH}:\n\n"
        + table(("", "wall s", "CPU s", "peak MB"), rows)
    )


if __name__ == "__main__":
    cli.main(main)
