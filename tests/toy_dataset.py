"""A dataset of toy tasks, made by hand, and a work folder that has their environment."""

import json
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from candidates import EDITS, FILES, HIDDEN, REACHED, TESTS, deletion, snapshot, this_environment
from python_environments import make_environment
from samples import task as sample

from featuredel import git, tables, trees
from featuredel.languages.python.front_end import Python
from featuredel.languages.python.interpreters import interpreters
from featuredel.model import (
    Environment,
    EnvironmentRow,
    HiddenFile,
    Snapshot,
    SnapshotRow,
    Task,
    TestId,
    TestRequest,
    TestRow,
)
from featuredel.stages.environment import FORMAT
from featuredel.submission import allowed_paths

MUL, NEG = "feed" * 4, "beef" * 4
ANSWER = {path: FILES[path] for path in ("calc/__init__.py", "calc/more.py")}
NO_NEG: Mapping[str, bytes | None] = {
    "calc/more.py": b"def mul(a, b):\n    return a * b\n",
    "tests/test_more.py": FILES["tests/test_more.py"]
    .partition(b"\n\n\ndef test_neg")[0]
    .replace(b"from calc.more import neg\n", b""),
}


def write_dataset(folder: Path) -> str:
    """Write a dataset of one task, `mul`, below `folder`, and return where it is."""
    origin = snapshot(folder / "snapshot")
    return _dataset(folder, origin, [_mul(folder, origin)])


def write_two_tasks(folder: Path) -> str:
    """Write a dataset of two tasks of one repository, `mul` and `neg`, and return where it is."""
    origin = snapshot(folder / "snapshot")
    return _dataset(folder, origin, [_mul(folder, origin), _neg(folder, origin)])


def have_environment(work: Path) -> Path:
    """Make `work` a work folder that has the environment of the tasks: that of these tests."""
    folder = work / "environments" / "toy"
    folder.mkdir(parents=True)
    (folder / "prefix").symlink_to(sys.prefix)
    return _recorded(work, this_environment())


def have_small_environment(work: Path) -> Path:
    """Make `work` a work folder as above, with an environment that an image can be made of."""
    prefix = work / "environments" / "toy" / "prefix"
    prefix.parent.mkdir(parents=True)
    return _recorded(work, make_environment(interpreters()[0], prefix))


def _recorded(work: Path, environment: Environment) -> Path:
    record = {
        "id": this_environment().id, "interpreter": environment.interpreter,
        "home": str(environment.home), "lock": [], "build": [], "products": False,
        "test_roots": [], "target_refusal": "", "format": FORMAT,
    }  # fmt: skip
    (work / "environments" / "toy" / "environment.json").write_text(json.dumps(record))
    return work


def _mul(folder: Path, origin: Snapshot) -> Task:
    return _task(
        folder, origin, MUL, EDITS, ANSWER, HIDDEN, REACHED, statement_terse="Write mul.",
        statement_interface=None,
    )  # fmt: skip


def _neg(folder: Path, origin: Snapshot) -> Task:
    hidden = FILES["tests/test_more.py"].replace(
        b"from calc.more import neg\n", b"import calc.more\n"
    ).replace(b"assert neg(", b"assert calc.more.neg(")  # fmt: skip
    answer = {"calc/more.py": FILES["calc/more.py"]}
    return _task(
        folder, origin, NEG, NO_NEG, answer, hidden, (TESTS[3],), statement_full="Write neg.",
        split="test", tier="hard",
    )  # fmt: skip


def _task(
    folder: Path, origin: Snapshot, task_id: str, edits: Mapping[str, bytes | None],
    answer: Mapping[str, bytes], hidden: bytes, f2p: tuple[TestId, ...], **more: object,
) -> Task:  # fmt: skip
    tree = folder / task_id
    trees.build_tree(origin.root, edits, tree)
    return sample(
        task_id=task_id, repository="calc", snapshot_tree=origin.tree,
        task_tree=trees.tree_hash(tree), environment_id=this_environment().id,
        deletion_patch=git.diff(origin.root, edits), gold_patch=git.diff(tree, answer),
        hidden_files=(HiddenFile("tests/test_more.py", 0o100644, hidden),),
        allowed_paths=allowed_paths(origin.root, deletion()), f2p=f2p, p2p_excluded=(),
        f2p_count=len(f2p), p2p_count=len(TESTS) - len(f2p),
        test_command=Python().test_command(this_environment(), (), TestRequest()).argv, **more,
    )  # fmt: skip


def _dataset(folder: Path, origin: Snapshot, rows: list[Task]) -> str:
    url = str(folder / "data")
    write_tables(url, origin, rows, TESTS)
    return url


def write_tables(url: str, origin: Snapshot, rows: Sequence[Task], tests: Iterable[TestId]) -> None:
    """Write a dataset of tasks of one toy in the environment of these tests, which all pass."""
    environment = this_environment()
    archive = trees.pack(origin.root)
    snapshots = SnapshotRow(
        "calc", origin.source, "", "1.0", "2024-01-01", "MIT", origin.tree,
        tables.compress(archive), len(archive),
    )  # fmt: skip
    environments = EnvironmentRow(
        environment.id, "calc", platform.python_version(), (), (), (), "pytest", "{}"
    )
    passed = [TestRow("calc", origin.tree, environment.id, t, "passed", "") for t in tests]
    tables.write_shards(url, "tasks", "train", rows, Task)
    tables.write_shards(url, "snapshots", "train", [snapshots], SnapshotRow)
    tables.write_shards(url, "environments", "train", [environments], EnvironmentRow)
    tables.write_shards(url, "tests", "train", passed, TestRow)
