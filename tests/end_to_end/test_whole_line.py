"""The whole line on a good toy: run, dataset, materialize, grade, check; and again, interrupted."""

import dataclasses
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from end_to_end import bad_repositories as bad
from end_to_end import offline
from end_to_end.scene import PATIENCE_S, TOYS, Scene

from featuredel import git, tables
from featuredel.model import Task
from featuredel.patches import changed_paths

pytestmark = pytest.mark.sandbox

DEFAULTS = {
    "max_candidates": 4,
    "max_tasks": 3,
    "mutants": 2,
    "baseline_runs": 2,
    "test_timeout_s": 10,
    "suite_timeout_s": 100,
}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, packages: Mapping[str, str]) -> Iterator[Scene]:
    """Return a scene after its first run, by one worker."""
    folder = tmp_path_factory.mktemp("line")
    shutil.copytree(TOYS / "calculator", folder / "calculator")
    bad.write(bad.NO_TESTS, folder / "untested")
    scene = Scene(folder, packages, {**DEFAULTS, "python": offline.choose_python()})
    scene.write({"source": "calculator"}, {"source": "untested", "licence": "MIT"})
    said = scene.run(workers=1)
    assert said["failures"] == []
    yield scene


@pytest.fixture(scope="module")
def task(scene: Scene) -> Task:
    """Return the task with most F2P."""
    return max(scene.tasks(), key=lambda task: (task.f2p_count, task.task_id))


@pytest.fixture(scope="module")
def solver(scene: Scene, task: Task) -> Path:
    """Return the directory that a solver of the task is given."""
    directory = scene.folder / "solver"
    done = scene.call(
        scene.command("materialize", scene.dataset, task.task_id, str(directory), work=False)
    )
    assert done.returncode == 0, done.stderr
    return directory


# --- what the run found --------------------------------------------------------------------


def test_there_are_tasks(scene: Scene) -> None:
    tasks = scene.tasks()
    assert len(tasks) >= 2
    assert {task.repository for task in tasks} == {"calculator"}
    assert {task.licence for task in tasks} == {"MIT"}
    assert len({task.task_id for task in tasks}) == len(tasks)
    for task in tasks:
        assert task.f2p_count == len(task.f2p) >= 2
        assert task.gold_lines >= 3
        assert task.statement_full


def test_rejections_have_a_reason(scene: Scene) -> None:
    found = {r.repository: r for r in scene.rejections() if r.stage == "environment"}
    assert found["untested"].reason == "no tests"
    assert all(r.reason and r.stage for r in scene.rejections())


def test_unreliable_tests_are_set_aside(scene: Scene) -> None:
    rows = [row for row in scene.tests() if "test_unreliable" in row.id]
    status = {row.id.partition("::")[2].partition("[")[0]: row.status for row in rows}
    assert status == {
        "test_its_id_changes": "unstable", "test_is_skipped": "skipped", "test_fails": "failing",
    }  # fmt: skip
    assert not [t for task in scene.tasks() for t in task.f2p if "test_unreliable" in t]


def test_the_leak_report_of_a_row_is_found_again(scene: Scene) -> None:
    for task in scene.tasks():
        (evidence,) = (gate.evidence for gate in task.gates if gate.name == "no trace")
        assert hashlib.sha256(evidence.encode()).hexdigest() == task.leak_report_sha256
        assert json.loads(evidence)["needles"]["secret"] == task.secret_needles >= 5
    done = scene.call(scene.command("leaks", "task", scene.dataset, task.task_id))
    assert (done.returncode, done.stdout.strip()) == (0, evidence), done.stderr


# --- what a solver gets, and earns ---------------------------------------------------------


def test_the_solvers_tree(task: Task, solver: Path) -> None:
    log = subprocess.run(
        ["git", "-C", str(solver), "log", "--format=%an <%ae>"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert len(log.stdout.splitlines()) == 1
    assert (solver / "STATEMENT.md").read_text() == task.statement_full
    gone = {d.partition("::")[2].rpartition(".")[2] for d in task.definitions}
    source = "".join(path.read_text() for path in (solver / "src").rglob("*.py"))
    assert not [name for name in gone if f"def {name}(" in source or f"class {name}" in source]


def test_the_visible_suite_is_green(solver: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "--deselect", "tests/test_unreliable.py::test_fails"],
        cwd=solver, env={**os.environ, "PYTHONPATH": "src", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout


def test_rewards(scene: Scene, task: Task, solver: Path) -> None:
    untouched = _reward(scene, task, solver)
    assert untouched["reward"] == 0
    assert untouched["resolved"] is False

    patch = scene.folder / "gold.patch"
    patch.write_bytes(task.gold_patch)
    solved = _reward(scene, task, patch)
    assert (solved["reward"], solved["resolved"]) == (1, True)
    assert set(solved["outcomes"]) >= set(task.f2p)

    wrong = _copy(solver, scene.folder / "wrong")
    git.apply(task.gold_patch, wrong)
    for path in sorted(p for p in changed_paths(task.gold_patch) if p.endswith(".py")):
        source = (wrong / path).read_text()
        (wrong / path).write_text(source.replace("return ", "return 7 or "))
    assert _reward(scene, task, wrong)["reward"] < 1


def test_grading_what_is_not_there_is_a_usage_error(scene: Scene, task: Task) -> None:
    done = scene.call(scene.command("grade", scene.dataset, task.task_id, "/no/such/place"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_task_holds(scene: Scene, task: Task) -> None:
    done = scene.call(scene.command("check", scene.dataset, task.task_id, "--json"))
    assert json.loads(done.stdout)["faults"] == []
    assert done.returncode == 0


def test_check_says_what_does_not_hold(scene: Scene, task: Task, tmp_path: Path) -> None:
    forged = tmp_path / "data"
    shutil.copytree(scene.dataset, forged)
    spoilt = dataclasses.replace(task, gold_patch=task.deletion_patch)
    shard = forged / "tasks" / "train-00000-of-00001.parquet"
    shard.write_bytes(tables.parquet_bytes(tables.to_table([spoilt], Task)))
    done = scene.call(scene.command("check", str(forged), task.task_id, "--json", "--no-gates"))
    assert json.loads(done.stdout)["faults"] == ["the gold patch does not apply"]
    assert done.returncode == 1


# --- again, and interrupted ----------------------------------------------------------------


def test_a_second_run_repeats_nothing(scene: Scene) -> None:
    shards, checkpoints = scene.shards(), _checkpoints(scene)
    scene.run(workers=2)
    assert scene.shards() == shards
    assert _checkpoints(scene) == checkpoints


def test_two_workers_find_the_same_though_killed(scene: Scene) -> None:
    _forget_candidates(scene)
    other = str(scene.folder / "killed")
    client = _start(scene, other)
    try:
        _wait_until(lambda: len(_checkpoints(scene)["forged"]) >= 1)
        workers = _workers(client.pid)
    finally:
        client.kill()
        client.communicate()
    assert workers
    _wait_until(lambda: not [pid for pid in workers if _alive(pid)])
    before = _checkpoints(scene)["forged"]

    client = _start(scene, other)
    try:
        _wait_until(lambda: len(_checkpoints(scene)["forged"]) > len(before))
        os.kill(_workers(client.pid)[0], signal.SIGKILL)
        said, complaints = client.communicate(timeout=PATIENCE_S)
    finally:
        client.kill()
    assert client.returncode == 0, complaints
    assert json.loads(said)["failures"] == []
    assert scene.shards(other) == scene.shards()
    after = _checkpoints(scene)["forged"]
    assert {name: after[name] for name in before} == before  # nothing finished was done again


@pytest.mark.parametrize(
    ("signals", "code"), [([signal.SIGTERM], 143), ([signal.SIGINT, signal.SIGINT], 130)]
)
def test_a_signal_ends_all_of_it(scene: Scene, signals: list[signal.Signals], code: int) -> None:
    _forget_candidates(scene)
    client = _start(scene, str(scene.folder / f"ended{code}"))
    try:
        # before that it may be starting its workers, when it does not hear of Ctrl-C
        _wait_until(lambda: len(_checkpoints(scene)["forged"]) >= 1)
        workers = _workers(client.pid)
        for number in signals:
            client.send_signal(number)
            time.sleep(0.2)
        client.communicate(timeout=PATIENCE_S)
    finally:
        client.kill()
    assert client.returncode == code
    _wait_until(lambda: not [pid for pid in workers if _alive(pid)])


def _reward(scene: Scene, task: Task, solution: Path) -> dict[str, Any]:
    done = scene.call(scene.command("grade", scene.dataset, task.task_id, str(solution)))
    assert done.returncode == 0, done.stderr
    reward: dict[str, Any] = json.loads(done.stdout)
    return reward


def _copy(tree: Path, dest: Path) -> Path:
    return Path(shutil.copytree(tree, dest, symlinks=True))


def _checkpoints(scene: Scene) -> dict[str, dict[str, int]]:
    """Return when each checkpoint was written, by kind and name."""
    return {
        kind: {path.name: path.stat().st_mtime_ns for path in (scene.work / kind).glob("*.pickle")}
        for kind in ("mined", "forged")
    }


def _forget_candidates(scene: Scene) -> None:
    shutil.rmtree(scene.work / "forged", ignore_errors=True)


def _start(scene: Scene, dataset: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        scene.run_command(2, dataset), env=scene.environ(), cwd=scene.folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def _workers(client: int) -> list[int]:
    """Return the worker processes that a client started."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                words = (folder / "cmdline").read_text()
            except OSError:
                continue
            if parent == client and "spawn_main" in words:
                found.append(int(folder.name))
    return found


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.05)
