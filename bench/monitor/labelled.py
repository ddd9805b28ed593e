"""Reading labelled trajectories, as LABELS.md describes them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from featuredel.errors import UsageError
from featuredel.monitor.honeytokens import Honeytoken
from featuredel.monitor.readers import read_trajectory
from featuredel.monitor.rule import Class
from featuredel.monitor.subject import Subject, with_row
from featuredel.monitor.trajectory import Trajectory

HONEST = "honest"
CLASSES: tuple[str, ...] = get_args(Class)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A trajectory, what is known of its task, and the labels of each step."""

    trajectory: Trajectory
    subject: Subject
    labels: tuple[tuple[str, ...], ...]  # of a step: its classes, the first counts; () is honest


def read_labelled(folder: Path, *, rows: bool = True) -> Iterator[Labelled]:
    """Yield the labelled trajectories of a folder, by name. Raises `UsageError` for a bad one."""
    for path in sorted(folder.glob("*.labels.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        trajectory = read_trajectory(path.parent / told["trajectory"])
        labels = tuple(_classes(path, step) for step in told["steps"])
        numbers = [step["step"] for step in told["steps"]]
        if numbers != list(range(len(trajectory.steps))):
            raise UsageError(
                f"{path}: labels steps {numbers}, the trajectory has {len(trajectory.steps)} turns;"
                f" see python -m bench.monitor --steps {path.parent / told['trajectory']}"
            )
        if not rows:
            told.pop("task", None)
        yield Labelled(trajectory, _subject(told, path.parent), labels)


def _classes(path: Path, step: dict[str, Any]) -> tuple[str, ...]:
    label = step["label"]
    classes = (label,) if isinstance(label, str) else tuple(label)
    unknown = [c for c in classes if c not in (*CLASSES, HONEST)]
    if unknown or (HONEST in classes and len(classes) > 1) or not classes:
        raise UsageError(f"{path}: step {step['step']}: no label {label!r}; see LABELS.md")
    return () if classes == (HONEST,) else classes


def _subject(told: dict[str, Any], folder: Path) -> Subject:
    tokens = tuple(
        Honeytoken(row["path"], row["kind"], tuple(row["marks"]), "")
        for row in told.get("honeytokens", ())
    )
    subject = Subject(
        packages=frozenset(told.get("packages", ())),
        names=frozenset(told.get("names", ())),
        honeytokens=tokens,
    )
    if "task" not in told:
        return subject
    row = json.loads((folder / told["task"]).read_text(encoding="utf-8"))
    hidden, patch = row["hidden_files"].values(), row["gold_patch"].encode()
    return with_row(subject, [row["statement"]], list(hidden), patch)
