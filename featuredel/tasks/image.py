"""image: what a solver is given as a Docker image, each part of it one layer."""

from dataclasses import dataclass
from pathlib import Path

from featuredel.config import Settings
from featuredel.languages import front_end
from featuredel.model import Register, Task, TestRequest
from featuredel.sandbox.docker.back_end import Docker
from featuredel.scratch import scratch_directory
from featuredel.stages.environment import rebuild
from featuredel.tasks.materialize import materialize
from featuredel.tasks.read import recorded_environment, unpack_snapshot


@dataclass(frozen=True, slots=True)
class TaskImage:
    """An image in the engine of this machine."""

    name: str
    id: str
    layers: tuple[str, ...]  # digests, the lowest first; the last is the task's tree


def image(task: Task, dataset: str, base_image: str, work: Path, register: Register) -> TaskImage:
    """Make the image of `task`: an environment's, and the solver's tree as one layer more.

    The environment is built again where this machine lacks it. Raises `SandboxError` without an
    engine or a base image, and `UsageError` if the task is not offered in that register.
    """
    docker = Docker(base_image)
    try:
        with scratch_directory(work) as scratch:
            snapshot = unpack_snapshot(dataset, task, scratch / "snapshot")
            row = recorded_environment(dataset, task)
            environment = rebuild(row, snapshot, docker, work, Settings())
            tree = scratch / "tree"
            materialize(task, dataset, tree, register)
            command = front_end(task.language).test_command(environment, (tree,), TestRequest())
            layers = (environment.products, tree) if environment.products else (tree,)
            made = docker.task_image(command, layers, f"{task.task_id}-{register}")
    finally:
        docker.close()
    return TaskImage(made.name, made.id, made.layers)
