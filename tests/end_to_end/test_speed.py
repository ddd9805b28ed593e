"""The whole speed benchmark on a toy."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from end_to_end import offline
from end_to_end.scene import PATIENCE_S, TOYS

ROOT = Path(__file__).parents[2]


@pytest.mark.sandbox
def test_the_whole_on_a_toy(tmp_path: Path, packages: Mapping[str, str]) -> None:
    shutil.copytree(TOYS / "calculator", tmp_path / "calculator")
    projects = {
        "defaults": {"baseline_runs": 2, "mutants": 2, "python": offline.choose_python()},
        "repositories": [{"source": "calculator", "licence": "MIT"}],
    }
    (tmp_path / "projects.yaml").write_text(yaml.safe_dump(projects))
    (tmp_path / "RESULTS.md").write_text("# What was measured\n")
    command = [
        *(sys.executable, "-m", "bench.speed", str(tmp_path / "projects.yaml")),
        *("--work", str(tmp_path / "work"), "--results", str(tmp_path / "RESULTS.md")),
        *("--candidates", "3", "--accepted", "1", "--repeats", "1", "--jobs", "1"),
        *("--pythons", ""),
    ]
    for _ in range(2):  # the second time from what is kept
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **packages}, capture_output=True, text=True,
            check=False, timeout=PATIENCE_S,
        )  # fmt: skip
        assert done.stderr == ""
        text = (tmp_path / "RESULTS.md").read_text()
        assert done.returncode == 0, text
        assert ": 0 differences" in text
    assert "3 candidates, screened one by one and in groups" in text
    assert text.count("## Speed") == 1
    assert "| validate/visible suite |" in text  # what each group of gates took is told
    assert not [p for p in (tmp_path / "work").glob(".scratch-*") if any(p.iterdir())]
