"""Predictions of SWE-bench's form: what a model answered to each task.

    {"instance_id": TASK, "model_name_or_path": NAME, "model_patch": DIFF}

A file holds one on each line, or a JSON list of them, or a JSON object that has them as values.
"""

import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from featuredel.errors import UsageError


@dataclass(frozen=True, slots=True)
class Prediction:
    """One answer. No two of a file are of the same task and model."""

    instance_id: str  # of a task, in full
    model: str
    patch: str  # "" where the model gave none

    @property
    def patch_bytes(self) -> bytes:
        """The patch as it goes into a file."""
        return self.patch.encode("utf-8", "surrogatepass")  # JSON may hold half a character

    @property
    def patch_sha256(self) -> str:
        """What tells it from another answer of the same model."""
        return hashlib.sha256(self.patch_bytes).hexdigest()


def read_predictions(file: Path, known: Collection[str]) -> tuple[Prediction, ...]:
    """Return the predictions in a file; `known` are the ids of all tasks.

    Raises `UsageError`, which names the line, for what is no prediction, for one of no known
    task, and for two of the same task and model.
    """
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        raise UsageError(f"{file}: {reason}; give a file of predictions") from error
    found: dict[tuple[str, str], str] = {}
    predictions = []
    for place, entry in _entries(file, text):
        prediction = _prediction(f"{file}: {place}", entry)
        if prediction.instance_id not in known:
            raise UsageError(
                f"{file}: {place}: no task {prediction.instance_id!r} in the dataset;"
                " `featuredel inspect` lists them"
            )
        key = (prediction.instance_id, prediction.model)
        if key in found:
            raise UsageError(
                f"{file}: {found[key]} and {place} are both of task {key[0]!r} and model"
                f" {key[1]!r}; give each sample a model_name_or_path of its own"
            )
        found[key] = place
        predictions.append(prediction)
    return tuple(predictions)


def _entries(file: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Yield each prediction, unchecked, and the place in the file that it stands at."""
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None  # one on each line, or damaged
    if isinstance(whole, list):
        yield from ((f"entry {number}", entry) for number, entry in enumerate(whole, 1))
    elif isinstance(whole, dict) and "instance_id" in whole:
        yield "line 1", whole
    elif isinstance(whole, dict):
        yield from ((f"entry {key!r}", entry) for key, entry in whole.items())
    else:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    yield f"line {number}", json.loads(line)
                except ValueError as error:
                    raise UsageError(f"{file}: line {number}: is no JSON: {error}") from error


def _prediction(place: str, entry: Any) -> Prediction:
    if not isinstance(entry, dict):
        raise UsageError(f"{place}: is no prediction; it needs instance_id and model_patch")
    for key in ("instance_id", "model_patch"):
        if key not in entry:
            raise UsageError(f"{place}: has no {key}")
    instance_id, patch = entry["instance_id"], entry["model_patch"]
    model = entry.get("model_name_or_path")
    for key, value in (("instance_id", instance_id), ("model_patch", patch or "")):
        if not isinstance(value, str):
            raise UsageError(f"{place}: {key} is {value!r}, and should be text")
    if not isinstance(model, str | None):
        raise UsageError(f"{place}: model_name_or_path is {model!r}, and should be text")
    return Prediction(instance_id, model or "", patch or "")
