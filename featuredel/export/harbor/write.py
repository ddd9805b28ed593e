"""Writing the task directories."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from featuredel.errors import UsageError
from featuredel.export.harbor import images, settings
from featuredel.export.harbor.own_wheel import NAME, own_wheel
from featuredel.export.harbor.settings import Network
from featuredel.export.slices import write_slice
from featuredel.languages.python import site
from featuredel.languages.python.metadata import read_metadata
from featuredel.model import EnvironmentRow, Register, Task
from featuredel.sandbox.docker.layers import Part, write_layer
from featuredel.scratch import filled, scratch_directory
from featuredel.tasks.materialize import materialize, statement_of
from featuredel.tasks.read import recorded_environment

SOLVER_UID = 1000


@dataclass(frozen=True, slots=True)
class Options:
    """How tasks are written."""

    register: Register = "full"
    organisation: str = "featuredel"
    base_image: str = images.BASE
    featuredel: str = ""  # a requirement, a wheel or a source archive; "" is this very one
    network: Network = "no-network"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written, and the ids of tasks that are not offered in that register."""

    directories: tuple[Path, ...]
    left_out: tuple[str, ...]


def write(tasks: Iterable[Task], dataset: str, directory: Path, options: Options) -> Exported:
    """Write a task directory for each task, and dataset.toml, to a new or empty directory.

    They are there when all are written. Raises `UsageError` if the directory holds something, or
    no task can be written.
    """
    archive = images.archive_of(options.featuredel)
    if archive is not None and not archive.is_file():
        raise UsageError(f"--featuredel {archive}: no such file")
    written: dict[str, Path] = {}
    left_out = []
    with filled(directory) as place:
        for task in tasks:
            name = settings.short_name(task)
            if getattr(task, f"statement_{options.register}") is None:
                left_out.append(task.task_id)
            elif name not in written:
                written[name] = directory / name
                _write_task(task, dataset, place / name, options)
        if not written:
            raise UsageError(f"{dataset}: no task is offered in the register {options.register!r}")
        about = (
            f"{len(written)} tasks: write the feature that was deleted."
            f" Statements: {options.register}."
        )
        called = directory.resolve().name
        told = settings.dataset_toml(
            options.organisation, called, about, [place / name for name in written]
        )
        _put(place / "dataset.toml", told)
    return Exported(tuple(written.values()), tuple(left_out))


def _write_task(task: Task, dataset: str, directory: Path, options: Options) -> None:
    for part in ("environment", "tests", "solution"):
        (directory / part).mkdir(parents=True)
    environment = recorded_environment(dataset, task)
    instruction = statement_of(task, options.register)
    told = settings.task_toml(task, options.organisation, options.register, options.network)
    _put(directory / "task.toml", told)
    _put(directory / "instruction.md", f"{instruction.rstrip()}\n{PLACE}")
    _put(directory / "README.md", _readme(task, options))
    _write_environment(task, dataset, environment, directory / "environment", options)
    _write_tests(task, dataset, environment, directory / "tests", options)
    _copy("solve.sh", directory / "solution")
    (directory / "solution" / "gold.diff").write_bytes(task.gold_patch)


PLACE = """
The repository is at `/workspace`; its tests run with `/env/bin/python -m pytest`. What you leave
there is graded.
"""


def _write_environment(
    task: Task, dataset: str, environment: EnvironmentRow, directory: Path, options: Options
) -> None:
    told = images.agent_dockerfile(environment, options.base_image)
    _put(directory / "Dockerfile", told)
    with scratch_directory() as scratch:
        tree = scratch / "tree"
        materialize(task, dataset, tree, options.register)
        solvers = Part(sources={"workspace": tree}, owner=SOLVER_UID)
        write_layer(solvers, directory / images.WORKSPACE)
        if images.is_by_path(environment):
            project = scratch / "project"
            site.write_by_path(project, tree, read_metadata(tree), "0")
            target = images.site_packages(environment).lstrip("/")
            beside = {f"{target}/{one.name}": one for one in project.iterdir()}
            write_layer(Part(sources=beside), directory / images.PROJECT)


def _write_tests(
    task: Task, dataset: str, environment: EnvironmentRow, directory: Path, options: Options
) -> None:
    featuredel = options.featuredel or NAME
    told = images.verifier_dockerfile(environment, options.base_image, featuredel)
    _put(directory / "Dockerfile", told)
    if options.featuredel == "":
        (directory / NAME).write_bytes(own_wheel())
    elif archive := images.archive_of(featuredel):
        shutil.copyfile(archive, directory / archive.name)
    _copy("test.sh", directory)
    _put(directory / "task", f"{task.task_id}\n")
    write_slice(task, dataset, str(directory / "dataset"))


def _put(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", newline="\n")


def _copy(name: str, directory: Path) -> None:
    target = directory / name
    target.write_bytes(files(__package__).joinpath("files", name).read_bytes())
    target.chmod(0o755)


def _readme(task: Task, options: Options) -> str:
    return f"""# {settings.short_name(task)}

One feature was deleted from the repository {task.repository}, with everything that was only there
for it. The task is to write it again; the repository's own tests decide.

- Licence of the repository: {task.licence}; its licence files are in the tree.
- Tier: {task.tier}. Statement: {options.register}.
- Tests that must pass afterwards: {task.f2p_count} that fail now, {task.p2p_count} that pass now.
- `environment/` is what the agent works in, `tests/` the separate verifier with the task's own rows
  of the dataset, `solution/` the deleted code. Only the first is for the agent.
- The reward is the share of the failing tests that pass, if all others still do, else 0. Without
  a reward the trial is an error of the machine.

Made by featuredel, from task `{task.task_id}`.
"""
