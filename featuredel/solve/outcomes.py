"""A folder of attempts: their rows, their trajectories, and how often tasks were solved.

    outcomes.parquet       a row for each attempt
    solve_rates.parquet    by task, register and model
    trajectories/MODEL/REGISTER/TASK-ATTEMPT.json

Each file is there whole, or not at all.
"""

import contextlib
import fcntl
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from featuredel import tables
from featuredel.errors import UsageError
from featuredel.model import Attempt, SolveRate
from featuredel.solve.attempt import Job

Key = tuple[str, str, str, int]
"""Task, register, model and number."""

_NAME_BYTES = 255  # of a file, on Linux


@dataclass(frozen=True, slots=True)
class Outcomes:
    """A folder that is being written, by one process at a time."""

    folder: Path
    rows: dict[Key, Attempt]

    def has(self, job: Job) -> bool:
        """Tell whether an attempt was made, and did not end in an error."""
        row = self.rows.get((job.task.id, job.register, job.model, job.number))
        return row is not None and row.ended != "error"

    def add(self, row: Attempt) -> None:
        """Add a row, in place of an earlier one of the same attempt, and write both tables."""
        self.rows[_key(row)] = row
        rows = [self.rows[key] for key in sorted(self.rows)]
        tables.write_table(f"{self.folder}/outcomes.parquet", rows, Attempt)
        tables.write_table(f"{self.folder}/solve_rates.parquet", solve_rates(rows), SolveRate)

    def trajectory(self, job: Job) -> Path:
        """Return where the trajectory of an attempt goes.

        Raises `UsageError` for a model of which the name is not that of a folder.
        """
        place = self.folder / "trajectories" / _folder_of(job.model) / job.register
        return place / f"{job.task.id}-{job.number}.json"


@contextlib.contextmanager
def open_outcomes(folder: Path) -> Iterator[Outcomes]:
    """Open a folder, new or begun by an earlier run.

    Raises `UsageError` if it cannot be had, or another process is writing it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise UsageError(f"--out {folder}: {error.strerror}; name another folder") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(f"--out {folder}: is being written; name another folder") from error
        file = folder / "outcomes.parquet"
        rows = tables.read_table(str(file), Attempt) if file.exists() else []
        yield Outcomes(folder, {_key(row): row for row in rows})


def solve_rates(rows: Iterable[Attempt]) -> list[SolveRate]:
    """Return how often each task was solved, by register and model; errors do not count."""
    counted = sorted((row for row in rows if row.ended != "error"), key=_key)
    return [_rate(list(same)) for _, same in groupby(counted, key=lambda row: _key(row)[:3])]


def _rate(rows: list[Attempt]) -> SolveRate:
    solved = [row for row in rows if row.resolved]
    return SolveRate(
        rows[0].task_id, rows[0].repository, rows[0].register, rows[0].model, len(rows),
        len(solved), sum(row.blocks + row.flags > 0 for row in solved), len(solved) / len(rows),
    )  # fmt: skip


def _folder_of(model: str) -> str:
    name = quote(model, safe="", errors="backslashreplace")
    if not name.strip(".") or len(name) > _NAME_BYTES:
        raise UsageError(
            f"--model {name[:40]!r}: names no folder; let the server call it otherwise"
        )
    return name


def _key(row: Attempt) -> Key:
    return row.task_id, row.register, row.model, row.attempt
