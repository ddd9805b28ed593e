"""`confirm: affected` on a toy, and what an audit does that finds what was missed."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from end_to_end import offline
from end_to_end.scene import TOYS, Scene

from featuredel.gates.visible import disagreed

pytestmark = pytest.mark.sandbox

COUNTS = """import calculator


def test_count():
    assert len(calculator.__all__) == 15
"""
"""Runs no line of the source, and fails without any public name."""


def test_an_audit_puts_the_repository_back(tmp_path: Path, packages: Mapping[str, str]) -> None:
    shutil.copytree(TOYS / "calculator", tmp_path / "calculator")
    (tmp_path / "calculator/tests/test_count.py").write_text(COUNTS)
    defaults = {
        "confirm": "affected", "audit_share": 1, "max_candidates": 2, "mutants": 0,
        "baseline_runs": 2, "python": offline.choose_python(),
    }  # fmt: skip
    scene = Scene(tmp_path, packages, defaults)
    scene.write({"source": "calculator", "licence": "MIT"})
    assert scene.run(workers=1)["failures"] == []
    rejections = scene.rejections()
    audits = [rejection for rejection in rejections if disagreed(rejection)]
    assert audits and all("test_count" in audit.detail for audit in audits)
    again = {r.subject for r in rejections if r.reason == "the deletion breaks other tests"}
    assert {audit.subject for audit in audits} <= again  # in full, it is simply refused
