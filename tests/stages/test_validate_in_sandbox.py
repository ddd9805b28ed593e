"""Validation on the real front-end and the real sandbox, with a toy."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from candidates import EDITS, HIDDEN, REACHED, baseline, deletion, snapshot, this_environment

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.languages import front_end
from featuredel.model import Deletion, HiddenFile, Verdict
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.shared import Shared
from featuredel.stages.validate import validate

pytestmark = pytest.mark.sandbox


def run(tmp_path: Path, removed: Deletion, settings: Settings) -> Verdict:
    work = tmp_path / "work"
    work.mkdir()
    with contextlib.closing(Shared(Bubblewrap())) as sandbox:
        return validate(
            snapshot(tmp_path / "snapshot"), this_environment(), baseline(), removed,
            front_end("python"), sandbox, settings, work,
        )  # fmt: skip


def test_a_good_candidate(tmp_path: Path) -> None:
    verdict = run(tmp_path, deletion(), Settings())
    assert verdict.f2p == REACHED
    assert verdict.p2p_excluded == ()
    assert verdict.reward_strength == 1.0
    found = {gate.name: json.loads(gate.evidence) for gate in verdict.gates}
    assert found["fails without the feature"]["reasons"] == {"ImportError": 2}
    assert found["imports"] == {"faults": [], "modules": 2}
    assert found["trivial solvers"]["turned"] == {
        "copy of the nearest sibling": 0, "identity": 0, "raise NotImplementedError": 0,
        "return None": 0,
    }  # fmt: skip


def test_a_module_that_no_longer_imports(tmp_path: Path) -> None:
    edits = {
        **EDITS,
        "calc/__init__.py": b"from calc.core import add, gone\n\n__all__ = ['add', 'gone']\n",
    }
    with pytest.raises(Rejected, match=r"no longer imports: calc/__init__.py: ImportError"):
        run(tmp_path, deletion(edits=edits), Settings())


def test_a_hidden_module_without_placeholders(tmp_path: Path) -> None:
    bare = HIDDEN.replace(HIDDEN[: HIDDEN.index(b"from calc.more")], b"from calc import mul\n")
    hidden = (HiddenFile("tests/test_more.py", 0o100644, bare),)
    with pytest.raises(Rejected, match=r"does not load without the feature: tests/test_more\.py"):
        run(tmp_path, deletion(hidden_files=hidden), Settings())


def test_a_test_that_hangs_without_the_feature(tmp_path: Path) -> None:
    """It counts, with its reason told; the time it gets is short."""
    hangs = HIDDEN.replace(
        b"        raise ImportError", b"        while True: pass\n        raise E"
    )
    hidden = (HiddenFile("tests/test_more.py", 0o100644, hangs),)
    removed = deletion(hidden_files=hidden)
    verdict = run(tmp_path, removed, replace(Settings(), test_timeout_s=0.5, mutants=0, repeats=1))
    found = {gate.name: json.loads(gate.evidence) for gate in verdict.gates}
    assert found["fails without the feature"]["reasons"] == {"timeout": 2}
    assert found["fails without the feature"]["late_or_absent"] == list(REACHED)
