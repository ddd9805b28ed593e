"""The line on a good toy in Docker: run, grade, image; and the same verdicts as in bubblewrap."""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import candidates
import pytest
from end_to_end import offline
from end_to_end.scene import TOYS, Scene
from engine import docker_engine

from featuredel.gates.leaks import base_for
from featuredel.languages import front_end
from featuredel.model import Task
from featuredel.sandbox.docker import labels
from featuredel.sandbox.docker.back_end import Docker
from featuredel.sandbox.docker.saved import saved_image
from featuredel.sandbox.root import ETC

pytestmark = [pytest.mark.sandbox, pytest.mark.docker]

DEFAULTS = {
    "sandbox": "docker",
    "max_candidates": 1,
    "max_tasks": 1,
    "mutants": 1,
    "baseline_runs": 2,
    "test_timeout_s": 10,
    "suite_timeout_s": 100,
}


@pytest.fixture(scope="module")
def docker() -> Iterator[Docker]:
    with docker_engine() as back_end:
        yield back_end


@pytest.fixture(scope="module")
def scene(
    tmp_path_factory: pytest.TempPathFactory, packages: Mapping[str, str], docker: Docker
) -> Scene:
    """Return a scene after a run in Docker."""
    folder = tmp_path_factory.mktemp("line")
    shutil.copytree(TOYS / "calculator", folder / "calculator")
    scene = Scene(folder, packages, {**DEFAULTS, "python": offline.choose_python()})
    scene.write({"source": "calculator"})
    said = scene.run(workers=1)
    assert said["failures"] == []
    return scene


@pytest.fixture(scope="module")
def task(scene: Scene) -> Task:
    (task,) = scene.tasks()
    return task


def _reward(scene: Scene, task: Task, patch: bytes, sandbox: str) -> dict[str, Any]:
    solution = scene.folder / "solution.diff"
    solution.write_bytes(patch)
    words = ("grade", scene.dataset, task.task_id, str(solution), "--sandbox", sandbox)
    done = scene.call(scene.command(*words))
    assert done.returncode == 0, done.stderr
    reward: dict[str, Any] = json.loads(done.stdout)
    return reward


def test_the_gold_patch_earns_everything_in_either_sandbox(scene: Scene, task: Task) -> None:
    in_docker = _reward(scene, task, task.gold_patch, "docker")
    assert in_docker["reward"] == 1.0
    assert _reward(scene, task, task.gold_patch, "bubblewrap") == in_docker


def test_no_patch_earns_nothing(scene: Scene, task: Task) -> None:
    assert _reward(scene, task, b"", "docker")["reward"] == 0.0


def test_the_image_holds_the_tree_in_one_layer_and_no_answer(scene: Scene, task: Task) -> None:
    done = scene.call(scene.command("image", scene.dataset, task.task_id, "--json"))
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    again = json.loads(
        scene.call(scene.command("image", scene.dataset, task.task_id, "--json")).stdout
    )
    assert again["id"] == made["id"]
    added = {line[1:].strip() for line in task.gold_patch.decode().splitlines() if line[:1] == "+"}
    answer = {line.encode() for line in added if line.startswith(("def ", "class "))}
    assert answer
    with saved_image(made["id"]) as (about, *layers):
        tree = layers[-1].root
        assert (tree / "workspace" / "STATEMENT.md").is_file()
        assert [path.name for path in tree.iterdir()] == ["workspace"]
        assert not any((layer.root / "workspace" / "src").exists() for layer in layers[:-1])
        for layer in (about, layers[-1], layers[-2]):
            for path in layer.root.rglob("*"):
                if path.is_file() and not path.is_symlink() and path.name != "STATEMENT.md":
                    content = path.read_bytes()
                    assert not [line for line in answer if line in content], path


def test_the_leak_report_is_of_what_the_image_shows(
    scene: Scene, task: Task, docker: Docker
) -> None:
    (evidence,) = (gate.evidence for gate in task.gates if gate.name == "no trace")
    words = ("leaks", "task", scene.dataset, task.task_id, "--sandbox", "docker")
    done = scene.call(scene.command(*words))
    assert (done.returncode, done.stdout.strip()) == (0, evidence), done.stderr
    (record,) = scene.work.glob("environments/*/environment.json")
    prefix, home = record.parent / "prefix", Path(json.loads(record.read_text())["home"])
    environment = replace(candidates.environment(prefix), home=home)
    base = base_for(front_end("python"), environment, docker, scene.work)
    for name in ("passwd", "group"):  # of the profile, which this machine's own are not
        assert base.holds(hashlib.sha256(ETC[name].encode()).hexdigest())
    module = next(prefix.glob("lib/python*/site-packages/pytest/__init__.py"))
    assert base.holds(hashlib.sha256(module.read_bytes()).hexdigest())


def test_nothing_is_left_of_the_runs(scene: Scene, docker: Docker) -> None:
    found = docker._client.api.containers(all=True, filters={"label": "featuredel.kind=run"})
    # other runs on this machine may be under way
    assert not [one for one in found if labels.is_abandoned(one["Labels"])]
