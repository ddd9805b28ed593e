"""Reading a task and what belongs to it from a dataset."""

import contextlib
import datetime
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from featuredel import git, tables, trees
from featuredel.errors import UsageError
from featuredel.model import EnvironmentRow, Snapshot, SnapshotRow, Task, TestId, TestRow
from featuredel.tarfiles import tarfile


def read(dataset: str, task_id: str) -> Task:
    """Return the task whose id is `task_id`, or begins with it and no other does.

    Raises `UsageError` if there is none, or more than one.
    """
    if not task_id:
        raise UsageError("TASK is empty; give an id, or the start of one")
    found = {task.task_id: task for task in tables.read_tasks(dataset, task_id=task_id)}
    if not found:
        every = tables.read_tasks(dataset)
        found = {task.task_id: task for task in every if task.task_id.startswith(task_id)}
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        raise UsageError(f"{dataset}: no task {task_id!r}; `featuredel inspect` lists them")
    raise UsageError(f"{dataset}: {task_id!r} begins {len(found)} ids: {', '.join(sorted(found))}")


@contextlib.contextmanager
def damage(dataset: str, what: str) -> Iterator[None]:
    """Raise `UsageError` for what is wrong with a thing that a dataset holds."""
    try:
        yield
    except (ValueError, OSError, tarfile.TarError) as error:
        if tables.is_of_machine(error):
            raise
        raise UsageError(f"{dataset}: {what} is damaged: {error}") from error


def unpack_snapshot(dataset: str, task: Task, dest: Path) -> Snapshot:
    """Unpack the snapshot of `task` into `dest` and return it; its tree hash is checked."""
    where = {"repository": task.repository, "tree": task.snapshot_tree}
    row = next(tables.read_rows(dataset, "snapshots", SnapshotRow, where), None)
    if row is None:
        raise UsageError(f"{dataset}: the snapshot of {task.repository} is missing from snapshots/")
    with damage(dataset, f"the snapshot of {task.repository}"):
        trees.unpack(tables.decompress(row.archive, row.archive_size), dest)
        released = datetime.date.fromisoformat(row.released) if row.released else None
    _check_tree(dataset, dest, row.tree, "snapshot")
    return Snapshot(
        repository=row.repository, source=row.source, source_sha256=row.source_sha256,
        version=row.version, released=released, licence=row.licence, tree=row.tree, root=dest,
        language=task.language,
    )  # fmt: skip


def delete_feature(dataset: str, task: Task, root: Path) -> None:
    """Turn the snapshot at `root` into the task's tree; its tree hash is checked."""
    with damage(dataset, f"task {task.task_id}"):
        git.apply(task.deletion_patch, root)
        for file in task.hidden_files:
            trees.check_inside(root, file.path)
    _check_tree(dataset, root, task.task_tree, "task")


def recorded_environment(dataset: str, task: Task) -> EnvironmentRow:
    """Return what is recorded of the environment of `task`."""
    where = {"id": task.environment_id, "repository": task.repository}
    row = next(tables.read_rows(dataset, "environments", EnvironmentRow, where), None)
    if row is None:
        raise UsageError(f"{dataset}: environment {task.environment_id} is not in environments/")
    return row


def p2p(dataset: str, task: Task) -> tuple[TestId, ...]:
    """Return the tests that pass before and after: the baseline but for F2P and what is neither."""
    where = {"snapshot_tree": task.snapshot_tree, "environment_id": task.environment_id}
    neither = frozenset(task.f2p) | frozenset(task.p2p_excluded)
    rows = tables.read_rows(dataset, "tests", TestRow, where)
    found = {row.id for row in rows if row.status == "passed"} - neither
    if len(found) != task.p2p_count:
        raise UsageError(
            f"{dataset}: {task.task_id} counts {task.p2p_count} P2P, tests/ gives {len(found)};"
            " the dataset is damaged, or mixed from two runs"
        )
    return tuple(sorted(found))


def statement_path(task_tree: Path) -> str:
    """Return where the statement goes: a name that the task's tree does not use."""
    taken = {PurePosixPath(path).parts[0].lower() for path in trees.files(task_tree)}
    number, name = 0, "STATEMENT.md"
    while name.lower() in taken:
        number += 1
        name = f"STATEMENT-{number}.md"
    return name


def _check_tree(dataset: str, root: Path, expected: str, what: str) -> None:
    found = trees.tree_hash(root)
    if found != expected:
        raise UsageError(f"{dataset}: the {what} tree is {found}, the row says {expected}")
