"""What select takes on many tasks: a dataset of the columns that it reads, grouped as real ones."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from bench.selection.training import BAND
from bench.selection.world import World, attempted, evenly, world
from featuredel import tables
from featuredel.model import CalibrationRow, Task
from featuredel.selection.choose import choose
from featuredel.selection.outcomes import Counts, Outcome, count
from featuredel.selection.pool import COLUMNS, REGISTERS, ScoredPool
from featuredel.selection.posterior import fit, posterior

BATCH = 256
TRIED = 10_000
ATTEMPTS = 8
SKILL = 0.5
SHARE_WITH_A_PARENT = 0.3


@dataclass(frozen=True, slots=True)
class Taken:
    """What something took."""

    what: str
    wall_s: float
    cpu_s: float
    peak_mb: float | None = None  # of a process of its own


def measure(like: ScoredPool, tasks: int, folder: Path) -> list[Taken]:
    """Write a dataset of so many tasks into `folder`, and time select on it in each way."""
    rng = np.random.default_rng(0)
    made = world(like, tasks, rng)
    dataset = folder / "data"
    _write_tasks(made.pool, dataset, rng)
    chosen = evenly(made.pool.offered, min(TRIED, tasks // 2), rng)
    outcomes = attempted(made, *chosen, ATTEMPTS, SKILL, rng)
    file = folder / "outcomes.jsonl"
    file.write_text("".join(f"{json.dumps(_row(outcome))}\n" for outcome in outcomes))
    taken = [
        _command("`select`, by the score", dataset),
        _command("`select --outcomes`", dataset, "--outcomes", str(file)),
    ]
    _write_calibration(made.pool, dataset, count(made.pool, outcomes))
    return [*taken, _command("`select`, calibrated", dataset), _batch(made, outcomes)]


def _row(outcome: Outcome) -> dict[str, object]:
    return {
        "task_id": outcome.task_id, "register": REGISTERS[outcome.register],
        "attempts": outcome.attempts, "solved": outcome.solved,
    }  # fmt: skip


def _batch(made: World, outcomes: Sequence[Outcome]) -> Taken:
    """Time one batch of a program that has read the dataset before."""
    pool = made.pool
    began_s, before_s = time.monotonic(), time.process_time()
    counts = count(pool, outcomes)
    belief = posterior(pool, counts, fit(pool, counts))
    choose(pool, belief, pool.offered, BAND, BATCH, 0)
    wall_s, cpu_s = time.monotonic() - began_s, time.process_time() - before_s
    return Taken("a batch, in a program that has read the dataset", wall_s, cpu_s)


def _write_tasks(pool: ScoredPool, dataset: Path, rng: np.random.Generator) -> None:
    counts = np.rint(2 ** pool.columns[:, :-1] - 1).astype(np.int32)
    held = rng.random(len(counts)) < SHARE_WITH_A_PARENT
    parents = np.where(held, rng.permutation(pool.task_ids), "")
    columns = {
        "task_id": pool.task_ids.tolist(), "repository": pool.repositories.tolist(),
        "parents": [[parent] if parent else [] for parent in parents.tolist()],
        **{name: counts[:, place] for place, name in enumerate(COLUMNS[:-1])},
        "reward_strength": pool.columns[:, -1] + 0.5,
        "gold_patch": [b"x"] * len(counts),  # what makes row groups small
        **{
            f"statement_{register}": ["Write it." if there else None for there in column]
            for register, column in zip(REGISTERS, pool.offered.T, strict=True)
        },
    }  # fmt: skip
    full = tables.schema(Task)
    schema = pa.schema([full.field(name) for name in columns], metadata=full.metadata)
    table = pa.table(columns, schema=schema)
    path = dataset / "tasks" / "train-00000-of-00001.parquet"
    tables.write_bytes(str(path), tables.parquet_bytes(table))


def _write_calibration(pool: ScoredPool, dataset: Path, counts: Counts) -> None:
    belief = posterior(pool, counts, fit(pool, counts))
    low, high = belief.interval()
    where = np.nonzero(pool.offered)
    values = {
        "attempts": counts.attempts, "solved": counts.solved, "alpha": belief.alpha,
        "beta": belief.beta, "mean": belief.mean, "low": low, "high": high,
    }  # fmt: skip
    table = pa.table(
        {
            "repository": pool.repositories[where[0]].tolist(),
            "task_id": pool.task_ids[where[0]].tolist(),
            "register": np.array(REGISTERS)[where[1]].tolist(),
            **{name: value[where] for name, value in values.items()},
        },
        schema=tables.schema(CalibrationRow),
    )
    path = dataset / "calibration" / "train-00000-of-00001.parquet"
    tables.write_bytes(str(path), tables.parquet_bytes(table))


def _command(what: str, dataset: Path, *more: str) -> Taken:
    target = f"{BAND.low}..{BAND.high}"
    command = [
        sys.executable, "-m", "featuredel", "select", str(dataset), "--target", target,
        "--n", str(BATCH), "--seed", "0", "--json", *more,
    ]  # fmt: skip
    began_s = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.read() or "{}")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if len(told.get("picks", ())) != BATCH:
        raise SystemExit(f"{what}: exit {process.returncode}, and no batch")
    cpu_s = usage.ru_utime + usage.ru_stime
    return Taken(what, time.monotonic() - began_s, cpu_s, usage.ru_maxrss / 1024)
