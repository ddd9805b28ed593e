"""Validating the candidate of `candidates.py`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from candidates import (
    FILES,
    NoSandbox,
    ScriptedPython,
    baseline,
    deletion,
    environment,
    language,
    snapshot,
)

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.model import Deletion, Verdict
from featuredel.stages.validate import validate


def run(
    tmp_path: Path, scripted: ScriptedPython | None = None, removed: Deletion | None = None,
    earlier: Any = (), files: Mapping[str, bytes] = FILES, **settings: Any,
) -> Verdict:  # fmt: skip
    work = tmp_path / "work"
    work.mkdir()
    return validate(
        snapshot(tmp_path / "snapshot", files), environment(), baseline(), removed or deletion(),
        language(scripted or ScriptedPython()), NoSandbox(), Settings(**settings), work, earlier,
    )  # fmt: skip


def refused(tmp_path: Path, *args: Any, **more: Any) -> Rejected:
    with pytest.raises(Rejected) as caught:
        run(tmp_path, *args, **more)
    return caught.value


def evidence(verdict: Verdict, name: str) -> dict[str, Any]:
    found = [gate.evidence for gate in verdict.gates if gate.name == name]
    assert len(found) == 1
    loaded: dict[str, Any] = json.loads(found[0])
    return loaded
