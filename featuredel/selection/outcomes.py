"""What became of attempts at tasks: rows of files, and the counts that come of them.

A row is one attempt (what `featuredel solve` writes, or a line of `featuredel grade --batch`), or
says of several how many there were (`attempts`) and how many solved the task (`solved`).
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featuredel import tables
from featuredel.errors import UsageError
from featuredel.selection.pool import REGISTERS, Floats, Pool

_ORDER = ("step", "time")
"""Columns by which outcomes may be ordered; without one the order of the file counts."""

MAX_ATTEMPTS = (1 << 31) - 1
"""Of all outcomes together: so many the table `calibration` can count."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Attempts at a task in a register, and how many of them solved it."""

    task_id: str
    register: int  # its place in REGISTERS
    attempts: int
    solved: int
    when: Any = None  # the value of `step` or `time`, if there is one


@dataclass(frozen=True, slots=True)
class Counts:
    """Outcomes by task and register.

    `tried` and `won` are `attempts` and `solved` with what is old counted for less.
    """

    attempts: NDArray[np.int64]
    solved: NDArray[np.int64]
    tried: Floats
    won: Floats
    strangers: int = 0  # attempts at what the pool does not offer


def read_outcomes(files: Iterable[Path], model: str | None = None) -> tuple[list[Outcome], int]:
    """Return the outcomes in files, oldest first, and the number of attempts that were none.

    Those are attempts that ended in an error of a machine. With `model`, only its rows count. A
    file given twice is read once. Raises `UsageError`, which names the row, for what is no outcome.
    """
    outcomes: list[Outcome] = []
    errors = 0
    for file in dict.fromkeys(file.resolve() for file in files):
        for number, row in enumerate(_rows(file), 1):
            if model is not None and isinstance(row, dict) and row.get("model") != model:
                continue
            outcome = _outcome(f"{file}: row {number}", row)
            errors += outcome is None
            outcomes += [outcome] if outcome else []
    if sum(outcome.attempts for outcome in outcomes) > MAX_ATTEMPTS:
        raise UsageError(f"--outcomes: more than {MAX_ATTEMPTS} attempts in all; give fewer")
    return _ordered(outcomes), errors


def count(pool: Pool, outcomes: Sequence[Outcome], half_life: float | None = None) -> Counts:
    """Return the counts of outcomes, oldest first.

    With `half_life`, an outcome counts for half after so many later attempts, at whatever task:
    a learner changes with all that it does.
    """
    shape = pool.offered.shape
    # not as an array: a single long id of a stranger would make every row of it as long
    index = {task_id: place for place, task_id in enumerate(pool.task_ids.tolist())}
    places = np.array([index.get(outcome.task_id, -1) for outcome in outcomes], dtype=np.intp)
    registers = np.array([outcome.register for outcome in outcomes], dtype=np.intp)
    attempts = np.array([outcome.attempts for outcome in outcomes], dtype=np.int64)
    solved = np.array([outcome.solved for outcome in outcomes], dtype=np.int64)
    age = attempts.sum() - np.cumsum(attempts)
    weight = np.ones(len(attempts)) if half_life is None else 0.5 ** (age / half_life)
    known = places >= 0
    known[known] = pool.offered[places[known], registers[known]]
    at = places[known], registers[known]

    def summed(values: NDArray[Any]) -> NDArray[Any]:
        sums = np.zeros(shape, dtype=values.dtype)
        np.add.at(sums, at, values[known])
        return sums

    return Counts(
        summed(attempts), summed(solved), summed(attempts * weight), summed(solved * weight),
        int(attempts[~known].sum()),
    )  # fmt: skip


def _ordered(outcomes: list[Outcome]) -> list[Outcome]:
    """Sort by `when`; rows that are equally old stay in the order of their files."""
    dated = sum(outcome.when is not None for outcome in outcomes)
    if not dated:
        return outcomes
    try:
        return sorted(outcomes, key=lambda outcome: outcome.when)
    except TypeError as error:
        kinds = "rows without one" if dated < len(outcomes) else "values of several types"
        raise UsageError(
            f"--outcomes: {' or '.join(_ORDER)} orders rows, and there are {kinds};"
            " give it to all or to none"
        ) from error


def _rows(file: Path) -> Iterator[Mapping[str, Any]]:
    if file.suffix == ".parquet":
        yield from tables.read_mappings(str(file))
        return
    for number, line in enumerate(_text(file).split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UsageError(
                    f"{file}: line {number}: is no JSON; give JSON lines, or Parquet (.parquet)"
                ) from error


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        raise UsageError(f"{file}: {reason}; give a file of outcomes") from error


def _outcome(place: str, row: Mapping[str, Any]) -> Outcome | None:
    """Return what a row says, None if it says nothing: the attempt ended in an error."""
    if not isinstance(row, dict):
        raise UsageError(f"{place}: is no mapping; give task_id and resolved")
    task_id, register = row.get("task_id", row.get("instance_id")), row.get("register", "full")
    if not isinstance(task_id, str):
        raise UsageError(f"{place}: has no task_id or instance_id")
    if register not in REGISTERS:
        raise UsageError(f"{place}: register is {register!r}; it is one of {', '.join(REGISTERS)}")
    when = next((row[name] for name in _ORDER if row.get(name) is not None), None)
    if isinstance(when, float) and math.isnan(when):
        raise UsageError(f"{place}: step or time is nan, which is no order; give a number")
    if "attempts" in row and "solved" in row:
        attempts, solved = row["attempts"], row["solved"]
        if not (_is_count(attempts) and _is_count(solved) and solved <= attempts):
            raise UsageError(
                f"{place}: attempts is {attempts!r} and solved {solved!r}; give whole numbers,"
                " no more solved than attempts"
            )
        return Outcome(task_id, REGISTERS.index(register), attempts, solved, when)
    if row.get("error") or row.get("ended") == "error":
        return None
    if not isinstance(row.get("resolved"), bool):
        raise UsageError(f"{place}: has no resolved (true or false), nor attempts and solved")
    solved = row["resolved"] and not row.get("tampered")
    return Outcome(task_id, REGISTERS.index(register), 1, int(solved), when)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
