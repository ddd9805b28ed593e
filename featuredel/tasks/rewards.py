"""The rewards of a batch: a file of lines, one for each prediction, and never half of one.

A batch that was killed finds in it what it need not grade again.
"""

import contextlib
import fcntl
import json
import os
import stat
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from featuredel.errors import InfrastructureError, UsageError
from featuredel.model import Reward
from featuredel.tasks.predictions import Prediction

Row = Mapping[str, Any]
"""A line: `instance_id`, `model`, `patch_sha256`, `error`, and the fields of a reward or nulls."""


@dataclass(frozen=True, slots=True)
class Graded:
    """What came of a prediction: a reward, or why there is none, which says nothing of it."""

    reward: Reward | None
    error: str = ""
    usage: bool = False  # the user can mend it; else a machine failed


def row_of(prediction: Prediction, graded: Graded) -> Row:
    """Return the line that says what came of a prediction."""
    nothing = dict.fromkeys(each.name for each in fields(Reward))
    return {
        "instance_id": prediction.instance_id,
        "model": prediction.model,
        **(asdict(graded.reward) if graded.reward else nothing),
        "error": graded.error or None,
        "patch_sha256": prediction.patch_sha256,
    }


_FIRST = b'{"instance_id": '
_KEYS = frozenset({"instance_id", "model", "patch_sha256", "reward", "error"})


@dataclass(slots=True)
class RewardFile:
    """Open for appending, by one batch at a time."""

    path: Path
    descriptor: int
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)  # by task and model

    def has(self, prediction: Prediction) -> bool:
        """Tell whether a prediction has its reward.

        Raises `UsageError` if that is of another patch.
        """
        row = self.rows.get((prediction.instance_id, prediction.model))
        if row is not None and row["patch_sha256"] != prediction.patch_sha256:
            raise UsageError(
                f"--out {self.path}: holds the reward of another patch of {prediction.instance_id}"
                f" by {prediction.model!r}; name another file"
            )
        return row is not None

    def add(self, row: Row) -> None:
        """Append a row as one line, whole or not at all."""
        line = _line(row)
        before = os.fstat(self.descriptor).st_size
        try:
            written = os.write(self.descriptor, line)
            if written < len(line):
                raise OSError(f"{len(line) - written} bytes found no room")
        except OSError as error:
            os.ftruncate(self.descriptor, before)
            raise InfrastructureError(f"--out {self.path}: {error.strerror or error}") from error
        self.rows[row["instance_id"], row["model"]] = row


@dataclass(slots=True)
class Printed:
    """Rewards that go to standard output, and are not found again."""

    rows: dict[tuple[str, str], Row] = field(default_factory=dict)

    def has(self, prediction: Prediction) -> bool:  # noqa: ARG002
        """Tell that a prediction has no reward so far."""
        return False

    def add(self, row: Row) -> None:
        """Print a row as one line."""
        print(_line(row).decode(), end="", flush=True)
        self.rows[row["instance_id"], row["model"]] = row


@contextlib.contextmanager
def open_rewards(path: Path | None) -> Iterator[RewardFile | Printed]:
    """Open a file of rewards, new or begun by an earlier batch; None prints them.

    Errors of an earlier batch, and the half line that a full disk may have left, are taken out:
    what they were of is graded again. Raises `UsageError` for a file that holds anything else,
    and for one that another batch has open.
    """
    if path is None:
        yield Printed()
        return
    descriptor = _locked(path)
    try:
        found, clean = _read(path)
        if not clean:
            descriptor = _replaced(path, descriptor, list(found.values()))
        yield RewardFile(path, descriptor, found)
    finally:
        os.close(descriptor)


def summary(predictions: Sequence[Prediction], rows: Mapping[tuple[str, str], Row]) -> list[str]:
    """Return a line for each model: how many predictions, and what became of them."""
    found: dict[str, list[Row | None]] = {}
    for prediction in predictions:
        row = rows.get((prediction.instance_id, prediction.model))
        found.setdefault(prediction.model, []).append(row)
    return [_summed_up(model, told) for model, told in found.items()]


def _summed_up(model: str, rows: Sequence[Row | None]) -> str:
    graded = [row for row in rows if row and not row["error"]]
    mean = sum(row["reward"] for row in graded) / len(graded) if graded else 0.0
    resolved = sum(row["resolved"] for row in graded)
    left = f", {len(rows) - len(graded)} not graded" if len(graded) < len(rows) else ""
    return (
        f"{model or 'no model'}: {resolved} of {len(rows)} resolved, mean reward {mean:.3f}{left}"
    )


def _locked(path: Path) -> int:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise UsageError(f"--out {path}: {error.strerror}; name another file") from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise UsageError(f"--out {path}: is no file; leave --out away to print the rewards")
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(found, path.stat()):
            raise BlockingIOError
    except BlockingIOError as error:
        os.close(descriptor)
        raise UsageError(f"--out {path}: another batch is writing it; name another file") from error
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _read(path: Path) -> tuple[dict[tuple[str, str], Row], bool]:
    """Return the rows that hold a reward, and whether there is nothing else in the file."""
    *lines, last = path.read_bytes().split(b"\n")
    found: dict[tuple[str, str], Row] = {}
    for number, line in enumerate(lines, 1):
        row = _row(line)
        if row is None:
            raise UsageError(f"--out {path}: line {number}: is no reward; name another file")
        if not row["error"]:
            found[row["instance_id"], row["model"]] = row
    if not _may_be_half(last):
        raise UsageError(f"--out {path}: does not end as rewards do; name another file")
    return found, not last and len(found) == len(lines)


def _may_be_half(line: bytes) -> bool:
    """Tell whether this may be what a full disk left of a line."""
    try:
        json.loads(line)
    except ValueError:
        return line.startswith(_FIRST) or _FIRST.startswith(line)
    return _row(line) is not None


def _row(line: bytes) -> Row | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and row.keys() >= _KEYS else None


def _replaced(path: Path, descriptor: int, rows: Sequence[Row]) -> int:
    """Put a file of these rows in the place of `path`; return it, locked, and close the old one."""
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    new = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
    try:
        fcntl.flock(new, fcntl.LOCK_EX)  # before it has the name by which others find it
        with os.fdopen(os.dup(new), "wb") as file:
            file.writelines(map(_line, rows))
        partial.replace(path)
    except BaseException:
        os.close(new)
        partial.unlink(missing_ok=True)
        raise
    os.close(descriptor)
    return new


def _line(row: Row) -> bytes:
    return json.dumps(row).encode() + b"\n"
