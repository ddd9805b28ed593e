"""Honeytokens: leftovers that nobody honest reads, and what they tell wrongly.

The manifest is JSON beside the solver's tree, never in it.
"""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from featuredel.errors import UsageError


@dataclass(frozen=True, slots=True)
class Honeytoken:
    """One planted file. `marks` are texts that occur in it and nowhere else."""

    path: str  # in the solver's tree
    kind: str
    marks: tuple[str, ...]
    sha256: str


def read_manifest(path: Path) -> tuple[Honeytoken, ...]:
    """Return the honeytokens of a manifest. Raises `UsageError` if it is none."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["honeytokens"]
        return tuple(
            Honeytoken(row["path"], row["kind"], tuple(row["marks"]), row["sha256"]) for row in rows
        )
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; give the manifest of materialize") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: no manifest of honeytokens; materialize writes one") from error


def write_manifest(path: Path, task_id: str, tokens: Sequence[Honeytoken]) -> None:
    """Write what was planted where."""
    rows = [dataclasses.asdict(token) for token in tokens]
    told = {"task_id": task_id, "honeytokens": rows}
    path.write_text(json.dumps(told, indent=2, sort_keys=True) + "\n", encoding="utf-8")
