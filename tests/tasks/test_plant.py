"""From a written task to the answer that is planted."""

from pathlib import Path

import pytest
from candidates import EDITS, FILES, deletion, snapshot
from samples import task as sample

from featuredel import git, tables, trees
from featuredel.errors import UsageError
from featuredel.model import SnapshotRow, Task
from featuredel.tasks.plant import answer_of, largest, stands_alone

ANSWER = {path: FILES[path] for path in ("calc/__init__.py", "calc/more.py")}


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    """Write a dataset of two tasks, of which the second has more lines."""
    url = str(tmp_path / "data")
    origin, removed = snapshot(tmp_path / "snapshot"), deletion()
    trees.build_tree(origin.root, EDITS, tmp_path / "task")
    small = sample(
        task_id="beef" * 4, repository="calc", snapshot_tree=origin.tree, gold_lines=3,
        task_tree=trees.tree_hash(tmp_path / "task"), hidden_files=removed.hidden_files,
        deletion_patch=git.diff(origin.root, EDITS), gold_patch=git.diff(tmp_path / "task", ANSWER),
    )  # fmt: skip
    large = sample(task_id="feed" * 4, repository="calc", gold_lines=9)
    archive = trees.pack(origin.root)
    row = SnapshotRow(
        "calc", origin.source, "", "1.0", "2024-01-01", "MIT", origin.tree,
        tables.compress(archive), len(archive),
    )  # fmt: skip
    tables.write_shards(url, "tasks", "train", [small, large], Task)
    tables.write_shards(url, "snapshots", "train", [row], SnapshotRow)
    return url


def test_the_largest_task_of_each_repository(dataset: str) -> None:
    assert [task.task_id for task in largest(dataset)] == ["feed" * 4]


def test_a_dataset_without_tasks_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        list(largest(str(tmp_path)))


def test_the_answer_is_what_the_deletion_took(dataset: str, tmp_path: Path) -> None:
    task = next(t for t in tables.read_tasks(dataset) if t.task_id == "beef" * 4)
    answer = answer_of(dataset, task, tmp_path / "place")
    assert answer.name == "calc beefbeef"
    assert (answer.root / "calc/more.py").read_bytes() == FILES["calc/more.py"]
    assert set(answer.deleted) == set(ANSWER)
    remaining = (tmp_path / "task" / "calc/__init__.py").read_text()
    assert answer.deleted["calc/more.py"] not in remaining
    words = {needle.text for needle in answer.needles.secret}
    assert "calc/more.py" not in words
    assert not [word for word in words if word.isidentifier() and word in remaining.split()]
    assert (answer.root / "calc/more.py").stat().st_mtime == 1_600_000_000


def test_tests_that_need_other_libraries_are_not_run(tmp_path: Path) -> None:
    (tmp_path / "calc").mkdir()
    for name, text in {
        "test_own.py": "import os, pytest\nfrom calc import more\nfrom . import near\n",
        "test_other.py": "import os, whatever\n",
        "helpers.py": "",
    }.items():
        (tmp_path / name).write_text(text)
    names = ("test_own.py", "test_other.py", "helpers.py", "test_gone.py")
    assert [name for name in names if stands_alone(tmp_path, name)] == ["test_own.py"]
