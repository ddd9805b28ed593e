"""The answer of a written task, as the plant test takes it."""

import os
import sysconfig
from pathlib import Path

from featuredel import trees
from featuredel.leaks.needles import needles_of
from featuredel.leaks.plant.answer import Answer
from featuredel.model import Task
from featuredel.patches import added_lines
from featuredel.tasks.read import delete_feature, unpack_snapshot

_TIME_S = 1_600_000_000.0
"""Of all files: a zip archive knows no times before 1980, which a snapshot's are."""


def answer_of(dataset: str, task: Task, place: Path) -> Answer:
    """Unpack the snapshot of `task` into `place` and return what the deletion took from it.

    Needles are what neither the remaining tree nor Python's own library shows: a word of these
    would be found in an artefact that the scan cannot read. What the statement tells still counts:
    the question is whether the scan reads an artefact, not whether the task may hold it.
    """
    before, after = place / "before", place / "after"
    unpack_snapshot(dataset, task, before)
    unpack_snapshot(dataset, task, after)
    delete_feature(dataset, task, after)
    for path in trees.files(before):
        os.utime(before / path, (_TIME_S, _TIME_S), follow_symlinks=False)
    deleted = {
        path: _lines(before / path, numbers)
        for path, numbers in added_lines(task.gold_patch).items()
    }
    held = [trees.read(after, path).decode(errors="replace") for path in trees.files(after)]
    library = Path(sysconfig.get_path("stdlib"))
    common = [path.read_text(errors="replace") for path in sorted(library.glob("**/*.py"))]
    tests = [file.path for file in task.hidden_files if file.path.endswith(".py")]
    return Answer(
        f"{task.repository} {task.task_id[:8]}", before, deleted, needles_of(deleted, [*held, *common, *deleted]),
        tuple(path for path in tests if _is_test(before / path)),
    )  # fmt: skip


def _lines(path: Path, numbers: frozenset[int]) -> str:
    lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True)
    return "".join(lines[number - 1] for number in sorted(numbers) if number <= len(lines))


def _is_test(path: Path) -> bool:
    return path.is_file() and (path.name.startswith("test_") or path.name.endswith("_test.py"))
