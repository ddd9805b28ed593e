"""Records with plausible values for tests that need a whole one."""

import dataclasses
from typing import Any

from featuredel.model import Control, Gate, HiddenFile, Scores, Task, TestId
from featuredel.tables import SCHEMA_VERSION


def task(**changes: Any) -> Task:
    """Return a small but complete task row; `changes` replace fields."""
    row = Task(
        schema_version=SCHEMA_VERSION,
        task_id="0123456789abcdef",
        repository="toy",
        source="pkg:pypi/toy@1.0",
        source_sha256="ab" * 32,
        snapshot_tree="1" * 40,
        task_tree="2" * 40,
        environment_id="e" * 16,
        language="python",
        licence="MIT",
        split="train",
        form="removal",
        feature="toy.add",
        rank=0.5,
        seed_kind="definition",
        tier="easy",
        leak_report_sha256="",
        definitions=("toy.py::add",),
        parents=(),
        overlaps=(),
        statement_full="Write add.",
        statement_interface="def add(a, b)",
        statement_terse=None,
        deletion_patch=b"diff --git a/toy.py b/toy.py\n\xff",
        gold_patch=b"diff --git a/toy.py b/toy.py\n",
        hidden_files=(HiddenFile("tests/test_toy.py", 0o100644, b"\x00\xff\r\n"),),
        controls=(Control("raise", "tests/test_toy.py", b"x"),),
        allowed_paths=("toy.py",),
        test_command=("/env/bin/python", "-m", "pytest"),
        f2p=(TestId("tests/test_toy.py::test_add[a b/ü]"),),
        p2p_excluded=(),
        test_timeout_s=60,
        f2p_count=1,
        p2p_count=3,
        gold_lines=2,
        gold_files=1,
        gold_definitions=1,
        branches=0,
        fan_in=0,
        fan_out=0,
        mutants=4,
        secret_needles=0,
        reward_strength=0.75,
        gates=(Gate("lint", "passed", "{}"),),
        difficulty=Scores(full=0.25, interface=0.5, terse=0.75),
    )
    return dataclasses.replace(row, **changes)
