"""Reading a task and what belongs to it from a dataset."""

import contextlib
import datetime
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

from featuredel import git, tables, trees
from featuredel.errors import InfrastructureError, UsageError
from featuredel.model import EnvironmentRow, Snapshot, SnapshotRow, Task, TestId
from featuredel.scratch import alone, publish, scratch_directory
from featuredel.tarfiles import tarfile


def read(dataset: str, task_id: str) -> Task:
    """Return the task whose id is `task_id`, or begins with it and no other does.

    Raises `UsageError` if there is none, or more than one.
    """
    tables.check_has_tasks(dataset)
    ids = [row[0] for row in tables.read_columns(dataset, "tasks", ["task_id"])]
    return next(tables.read_tasks(dataset, task_id=the_one(dataset, ids, task_id)))


def the_one(dataset: str, ids: Iterable[str], task_id: str) -> str:
    """Return which of `ids` is `task_id`, or begins with it and no other does; see `read`."""
    if not task_id:
        raise UsageError("TASK is empty; give an id, or the start of one")
    found = {one for one in ids if one.startswith(task_id)}
    if task_id in found or len(found) == 1:
        return task_id if task_id in found else found.pop()
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
    row = _snapshot_row(dataset, task)
    _unpack(dataset, row, dest)
    return _snapshot(dataset, task, row, dest)


def kept_snapshot(dataset: str, task: Task, work: Path) -> Snapshot:
    """Return the snapshot of `task`, which lies in `work` as a run would leave it there.

    All who share that folder share it, and never write to it.
    """
    row, kept = _snapshot_row(dataset, task), work / "snapshots" / task.snapshot_tree
    _made_once(kept, lambda place: _unpack(dataset, row, place))
    return _snapshot(dataset, task, row, kept)


def kept_task_tree(dataset: str, task: Task, snapshot: Path, work: Path) -> Path:
    """Return the tree of `task`, made of `snapshot` once for all who share the folder `work`.

    Nobody may write to it; most of its files are the snapshot's. Its hash is checked each time:
    raises `InfrastructureError` if it is another now.
    """
    kept = work / "tasks" / task.task_tree

    def make(place: Path) -> None:
        trees.build_tree(snapshot, {}, place)
        delete_feature(dataset, task, place)

    if not _made_once(kept, make) and trees.tree_hash(kept) != task.task_tree:
        raise InfrastructureError(f"{kept}: has been changed; remove it, and it is made again")
    return kept


def _made_once(kept: Path, make: Callable[[Path], None]) -> bool:
    """Have `make` make what is to lie at `kept`, unless it is there; return whether it was not."""
    if kept.is_dir():
        return False
    kept.parent.mkdir(parents=True, exist_ok=True)
    with alone(kept.with_suffix(".lock")):
        if kept.is_dir():
            return False
        with scratch_directory(kept.parent) as scratch:
            make(scratch / "tree")
            publish(scratch / "tree", kept)
    return True


def _snapshot_row(dataset: str, task: Task) -> SnapshotRow:
    where = {"repository": task.repository, "tree": task.snapshot_tree}
    row = next(tables.read_rows(dataset, "snapshots", SnapshotRow, where), None)
    if row is None:
        raise UsageError(f"{dataset}: the snapshot of {task.repository} is missing from snapshots/")
    return row


def _unpack(dataset: str, row: SnapshotRow, dest: Path) -> None:
    with damage(dataset, f"the snapshot of {row.repository}"):
        trees.unpack(tables.decompress(row.archive, row.archive_size), dest)
    _check_tree(dataset, dest, row.tree, "snapshot")


def _snapshot(dataset: str, task: Task, row: SnapshotRow, root: Path) -> Snapshot:
    with damage(dataset, f"the snapshot of {row.repository}"):
        released = datetime.date.fromisoformat(row.released) if row.released else None
    return Snapshot(
        repository=row.repository, source=row.source, source_sha256=row.source_sha256,
        version=row.version, released=released, licence=row.licence, tree=row.tree, root=root,
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
    wanted = (task.snapshot_tree, task.environment_id, "passed")
    neither = frozenset(task.f2p) | frozenset(task.p2p_excluded)
    columns = ("id", "snapshot_tree", "environment_id", "status")
    rows = tables.read_columns(dataset, "tests", columns)
    found = {TestId(test) for test, *rest in rows if tuple(rest) == wanted} - neither
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
