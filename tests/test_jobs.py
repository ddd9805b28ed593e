"""What jobs leave in a work directory, and what is cleared away."""

import os
from pathlib import Path

from featuredel.jobs import ABANDONED_S, sweep
from featuredel.pipeline import SCRATCH


def test_only_abandoned_scratch_is_swept(tmp_path: Path) -> None:
    for name in (f"{SCRATCH}old", f"{SCRATCH}new", "environments"):
        (tmp_path / name / "tree").mkdir(parents=True)
    for name in (f"{SCRATCH}old", "environments"):
        folder = tmp_path / name
        before = folder.stat().st_mtime - 2 * ABANDONED_S
        os.utime(folder, (before, before))
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["environments", f"{SCRATCH}new"]


def test_a_work_directory_that_is_not_there_yet(tmp_path: Path) -> None:
    sweep(tmp_path / "work")
