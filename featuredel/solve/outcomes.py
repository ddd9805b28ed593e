"""A folder of attempts: their rows, their trajectories, and how often tasks were solved.

    outcomes.parquet       a row for each attempt
    solve_rates.parquet    by task, register and model
    outcomes.jsonl         while a run goes on: the rows that are new
    trajectories/MODEL/REGISTER/TASK-ATTEMPT.json

The tables are written at the end of a run, as each time takes as long as there are rows. What a
run that was killed had added, the next one finds in the lines. The other files are there whole,
or not at all.
"""

import contextlib
import fcntl
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from featuredel import tables
from featuredel.errors import UsageError
from featuredel.model import Attempt, SolveRate
from featuredel.solve.attempt import Job, Key

_NAME_BYTES = 255  # of a file, on Linux


@dataclass(frozen=True, slots=True)
class Outcomes:
    """A folder that is being written, by one process at a time."""

    folder: Path
    rows: dict[Key, Attempt]
    new: BinaryIO

    def has(self, job: Job) -> bool:
        """Tell whether an attempt was made, and did not end in an error."""
        row = self.rows.get(job.key)
        return row is not None and row.ended != "error"

    def add(self, row: Attempt) -> None:
        """Add a row, in place of an earlier one of the same attempt, as a line."""
        self.rows[_key(row)] = row
        self.new.write(json.dumps(asdict(row)).encode() + b"\n")
        self.new.flush()

    def trajectory(self, job: Job) -> Path:
        """Return where the trajectory of an attempt goes.

        Raises `UsageError` for a model of which the name is not that of a folder.
        """
        place = self.folder / "trajectories" / _folder_of(job.model) / job.register
        return place / f"{job.task.id}-{job.number}.json"


@contextlib.contextmanager
def open_outcomes(folder: Path) -> Iterator[Outcomes]:
    """Open a folder, new or begun by an earlier run, and write its tables at the end.

    Raises `UsageError` if it cannot be had, another process is writing it, or one of its files
    holds something else.
    """
    table, lines = folder / "outcomes.parquet", folder / "outcomes.jsonl"
    with _locked(folder):
        found = tables.read_table(str(table), Attempt) if table.exists() else []
        rows = {_key(row): row for row in found}
        if left := _read(lines):
            rows |= {_key(row): row for row in left}
            _write_tables(folder, rows)
        try:
            with lines.open("wb") as new:
                yield Outcomes(folder, rows, new)
        finally:
            if lines.stat().st_size:
                _write_tables(folder, rows)
            lines.unlink()


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
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
        yield


def _read(file: Path) -> list[Attempt]:
    """Return the rows in a file of lines, if it is there, but for the half of one at its end."""
    lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []
    try:
        return [Attempt(**json.loads(line)) for line in lines]
    except (ValueError, TypeError) as error:
        raise UsageError(f"{file}: holds a line that is no attempt; name another folder") from error


def _write_tables(folder: Path, rows: Mapping[Key, Attempt]) -> None:
    ordered = [rows[key] for key in sorted(rows)]
    tables.write_table(f"{folder}/outcomes.parquet", ordered, Attempt)
    tables.write_table(f"{folder}/solve_rates.parquet", solve_rates(ordered), SolveRate)


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
