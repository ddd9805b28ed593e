"""The taskset: what a solver may know is the data, and the rest is read when it is graded.

`TaskData` is recorded with every trace. So it holds solver's columns alone; gold and the hidden
tests are found in the dataset by the id of the task.
"""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import verifiers.v1 as vf

import featuredel
from featuredel import git
from featuredel.trainers import dataset_at
from featuredel_verifiers import trees

_PROMPT = """{statement}

The repository lies in your working directory, as one commit. Leave your changes in its files: what
they are when you stop is graded. Changes of tests and of build configuration are left out.
"""


class FDData(vf.TaskData):
    """What a solver may know of a task. `id` is the task's."""

    repository: str
    language: str
    licence: str
    split: str
    tier: str
    form: str
    statement: Literal["full", "interface", "terse"]
    difficulty: float
    f2p_count: int
    p2p_count: int


class FDTaskConfig(vf.TaskConfig):
    """Where the tasks are, and what they are graded in."""

    dataset: str = ""
    """A folder or a URL; by default what the variable FEATUREDEL_DATASET names."""
    sandbox: str = "auto"
    """Where hidden tests run: auto, bubblewrap, docker or none. It is not the solver's runtime."""
    base_image: str = ""
    """Of the sandbox docker."""
    work: str | None = None
    """The folder for environments and trees; by default featuredel's in your cache folder."""


class FDConfig(vf.TasksetConfig):
    """Which tasks, and how they are told."""

    task: FDTaskConfig = FDTaskConfig()
    statement: Literal["full", "interface", "terse"] = "full"
    """The register of the statements; tasks that are not offered in it are left out."""
    split: str | None = None
    """Only the tasks of this split."""
    repository: str | None = None
    """Only the tasks of this repository."""
    tier: str | None = None
    """Only the tasks of this tier."""
    image: str | None = None
    """The solver's image; `{task_id}` and `{register}` in it are filled in, as in the names that
    `featuredel image` gives."""
    workdir: str | None = None
    """Where the tree goes in that image."""


class FDTask(vf.Task[FDData, vf.State, FDTaskConfig]):
    """Lays the tree out in the solver's runtime, and grades what has become of it elsewhere."""

    @property
    def key(self) -> str:
        """The task's own id, and how it is told."""
        return f"{self.data.id}-{self.data.statement}"

    async def setup(self, runtime: vf.Runtime) -> None:
        """Write the solver's tree to the folder that the runtime works in."""
        with tempfile.TemporaryDirectory() as scratch:
            tree = Path(scratch) / "tree"
            task = await asyncio.to_thread(self._task)
            await asyncio.to_thread(task.materialize, tree, self.data.statement)
            await trees.lay(runtime, tree)

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Tell whether the reference solution, laid over the tree in the runtime, is resolved."""
        with tempfile.TemporaryDirectory() as scratch:
            tree = Path(scratch) / "tree"
            task = await asyncio.to_thread(self._task)
            await asyncio.to_thread(task.materialize, tree, self.data.statement)
            await asyncio.to_thread(git.apply, task.row.gold_patch, tree)
            await trees.lay(runtime, tree)
        return (await self._graded(runtime)).resolved

    @vf.reward
    async def hidden_tests(self, trace: vf.Trace, runtime: vf.Runtime) -> float:
        """Return the reward of the tree: the share of F2P that pass if every P2P does, else 0."""
        found = await self._graded(runtime)
        trace.record_metrics({"f2p_rate": found.f2p_rate, "p2p_rate": found.p2p_rate})
        return found.reward

    async def _graded(self, runtime: vf.Runtime) -> featuredel.Reward:
        with tempfile.TemporaryDirectory() as scratch:
            tree = Path(scratch) / "tree"
            task = await asyncio.to_thread(self._task)
            found: Path | str = tree if await trees.take(runtime, tree) else _NO_TREE
            return await asyncio.to_thread(task.grade, found)

    def _task(self) -> featuredel.Task:
        where = self.config
        tasks = dataset_at(
            where.dataset, sandbox=where.sandbox, base_image=where.base_image, work=where.work
        )
        return tasks[str(self.data.id)]


_NO_TREE = "no tree: more than may be graded, or nothing that tar packs"
"""In the place of a diff: it applies to nothing, and earns nothing."""


class FDTaskset(vf.Taskset[FDTask, FDConfig]):
    """The tasks of a dataset, in its order."""

    def load(self) -> Iterator[FDTask]:
        """Yield the tasks that are asked for."""
        wanted, where = self.config, self.config.task
        tasks = dataset_at(
            where.dataset, sandbox=where.sandbox, base_image=where.base_image, work=where.work
        ).where(repository=wanted.repository, split=wanted.split, tier=wanted.tier)
        for task in tasks:
            if wanted.statement in task.registers:
                yield FDTask(self._data(task), where)

    def _data(self, task: featuredel.Task) -> FDData:
        register, row = self.config.statement, task.row
        image = self.config.image
        return FDData(
            id=task.id, name=f"{task.repository}-{task.id}",
            prompt=_PROMPT.format(statement=task.statement(register).strip()),
            image=image.format(task_id=task.id, register=register) if image else None,
            workdir=self.config.workdir, repository=task.repository, language=row.language,
            licence=row.licence, split=row.split, tier=row.tier, form=row.form,
            statement=register, difficulty=getattr(row.difficulty, register),
            f2p_count=row.f2p_count, p2p_count=row.p2p_count,
        )  # fmt: skip
