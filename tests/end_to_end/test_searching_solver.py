"""A solver with a shell, no network and every common tool finds no secret needle.

And would find it: in a tree with leftovers each tool finds what only it can see.
"""

import py_compile
import shutil
import sqlite3
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from end_to_end import offline
from end_to_end.scene import TOYS, Scene

from bench.search import TOOLS, search, secrets_of_task
from featuredel.config import Settings
from featuredel.leaks.needles import Needles
from featuredel.model import Environment, Task
from featuredel.patches import added_text
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.stages.environment import rebuild
from featuredel.tasks.materialize import materialize
from featuredel.tasks.read import delete_feature, recorded_environment, unpack_snapshot

pytestmark = pytest.mark.sandbox

DEFAULTS = {
    "max_candidates": 3, "max_tasks": 1, "mutants": 0, "baseline_runs": 2, "test_timeout_s": 10,
    "suite_timeout_s": 100,
}  # fmt: skip


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, packages: Mapping[str, str]) -> Iterator[Scene]:
    """Return a scene after a run."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    folder = tmp_path_factory.mktemp("search")
    shutil.copytree(TOYS / "calculator", folder / "calculator")
    scene = Scene(folder, packages, {**DEFAULTS, "python": offline.choose_python()})
    scene.write({"source": "calculator"})
    scene.run(workers=1)
    yield scene


@pytest.fixture(scope="module")
def task(scene: Scene) -> Task:
    (found,) = scene.tasks()
    return found


@pytest.fixture(scope="module")
def environment(scene: Scene, task: Task) -> Environment:
    snapshot = unpack_snapshot(scene.dataset, task, scene.folder / "snapshot")
    row = recorded_environment(scene.dataset, task)
    return rebuild(row, snapshot, Bubblewrap(), scene.work, Settings())


@pytest.fixture(scope="module")
def needles(scene: Scene, task: Task, environment: Environment) -> Needles:
    tree = scene.folder / "tree"
    unpack_snapshot(scene.dataset, task, tree)
    delete_feature(scene.dataset, task, tree)
    found = secrets_of_task(task, tree, environment, scene.work)
    assert len(found) == task.secret_needles
    return found


@pytest.fixture
def solver(scene: Scene, task: Task, tmp_path: Path) -> Path:
    directory = tmp_path / "solver"
    materialize(task, scene.dataset, directory, "full")
    return directory


def test_nothing_is_found(solver: Path, environment: Environment, needles: Needles) -> None:
    assert search(solver, environment, needles) == set()


def test_leftovers_are_found_with_each_tool(
    solver: Path, environment: Environment, needles: Needles, task: Task
) -> None:
    code = "\n".join(text for path, text in added_text(task.gold_patch).items() if ".py" in path)
    with zipfile.ZipFile(solver / "a.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("left.py", code)
    with sqlite3.connect(solver / "cache.db") as database:
        database.execute("CREATE TABLE files (content TEXT)")
        database.execute("INSERT INTO files VALUES (?)", [code])
    database.close()
    subprocess.run(
        ["git", "-C", str(solver), "hash-object", "-w", "--stdin"], input=code, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    names = [needle.text for needle in needles.secret if needle.kind == "identifier"]
    assert names, "a toy whose deletion has a name of its own"
    (solver / f"{names[0]}.txt").touch()
    (solver / "wide.bin").write_bytes("\n".join(names).encode("utf-16-le"))
    source = solver / "left.py"
    source.write_text("".join(f"{name} = 1\n" for name in names))
    py_compile.compile(str(source), str(solver / "left.pyc"))
    source.unlink()
    found = {line.partition(":")[0] for line in search(solver, environment, needles, "/workspace")}
    assert found >= {"unzip", "sqlite3", "git-objects", "find", "strings-16", "dis", "bytes"}
