"""A dataset of one task: that, and the rows of the other tables which grading it needs."""

from collections.abc import Mapping

from featuredel import tables
from featuredel.model import EnvironmentRow, SnapshotRow, Task, TestRow


def write_slice(task: Task, dataset: str, dest: str) -> None:
    """Write the dataset `dest` with `task`, its snapshot, environment and tests, and no more."""

    def copy(name: str, row: type[tables.Row], where: Mapping[str, str]) -> None:
        wanted = {"repository": task.repository, **where}
        rows = list(tables.read_rows(dataset, name, row, wanted))
        tables.write_shards(dest, name, task.split, rows, row)

    tests = {"snapshot_tree": task.snapshot_tree, "environment_id": task.environment_id}
    tables.write_shards(dest, "tasks", task.split, [task], Task)
    copy("snapshots", SnapshotRow, {"tree": task.snapshot_tree})
    copy("environments", EnvironmentRow, {"id": task.environment_id})
    copy("tests", TestRow, tests)
