"""Tasks from a program: load a dataset, lay a task out, grade what became of it.

`featuredel.load` begins; everything here may be used from many threads and processes at once, and
pickles. A task is opened on a machine when it is first graded there.
"""

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from featuredel import model, tables
from featuredel.errors import DiffError
from featuredel.model import Register, Reward
from featuredel.tasks.grade import diff, grade, nothing_earned
from featuredel.tasks.materialize import materialize, statement_of
from featuredel.tasks.read import the_one
from featuredel.tasks.shell import OUTPUT_BYTES, TIMEOUT_S, Shell, open_shell
from featuredel.tasks.workplace import Workplace, work_directory


def load(
    dataset: str | os.PathLike[str], *, sandbox: str = "auto", base_image: str = "",
    work: str | os.PathLike[str] | None = None,
) -> "Dataset":  # fmt: skip
    """Return the tasks of a dataset: a folder, or an fsspec URL.

    `sandbox` is auto, bubblewrap, docker, account or none, and `base_image` that of docker, as on
    the command line. `work` is the folder for environments and trees, by default featuredel's in
    your cache folder; processes on one machine may share it. Neither is touched before a task is
    graded. Raises `UsageError` where there is no dataset.
    """
    location = tables.located(dataset)
    tables.check_has_tasks(location)
    columns = ("task_id", "repository", "split", "tier")
    entries = tuple(_Entry(*row) for row in tables.read_columns(location, "tasks", columns))
    settings = _Settings(sandbox, base_image, work_directory(Path(work) if work else None))
    return Dataset(location, entries, settings)


@dataclass(frozen=True, slots=True)
class _Entry:
    task_id: str
    repository: str
    split: str
    tier: str


@dataclass(frozen=True, slots=True)
class _Settings:
    sandbox: str
    base_image: str
    work: Path


@dataclass(frozen=True, slots=True)
class Dataset:
    """Tasks in the order of the dataset. Rows are read when they are asked for."""

    location: str
    _entries: tuple[_Entry, ...] = field(repr=False)
    _settings: _Settings = field(repr=False)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the tasks."""
        return tuple(entry.task_id for entry in self._entries)

    def where(
        self, *, repository: str | None = None, split: str | None = None, tier: str | None = None
    ) -> "Dataset":
        """Return the tasks of that repository, split and tier; None stands for any."""
        wanted = {"repository": repository, "split": split, "tier": tier}
        asked = {name: value for name, value in wanted.items() if value is not None}
        chosen = (
            entry
            for entry in self._entries
            if all(getattr(entry, name) == value for name, value in asked.items())
        )
        return replace(self, _entries=tuple(chosen))

    def __len__(self) -> int:
        """Return how many tasks there are."""
        return len(self._entries)

    def __iter__(self) -> Iterator["Task"]:
        """Yield every task."""
        chosen = set(self.ids)
        for row in tables.read_tasks(self.location):
            if row.task_id in chosen:
                yield Task(self.location, row, self._settings)

    def __contains__(self, task_id: object) -> bool:
        """Tell whether there is a task of this id, in full."""
        return task_id in self.ids

    def __getitem__(self, task_id: str) -> "Task":
        """Return the task whose id is `task_id`, or begins with it and no other's does.

        Raises `UsageError` if there is none, or more than one.
        """
        chosen = the_one(self.location, self.ids, task_id)
        row = next(tables.read_tasks(self.location, task_id=chosen))
        return Task(self.location, row, self._settings)


@dataclass(frozen=True, slots=True, repr=False)
class Task:
    """One task. What it prints as tells nothing that a solver may not know."""

    dataset: str
    row: model.Task
    """Everything, the answer and the hidden tests too: not for the solver's eyes."""
    _settings: _Settings

    def __repr__(self) -> str:
        """Return id, repository and tier."""
        return f"<Task {self.id} of {self.repository}, {self.row.tier}>"

    @property
    def id(self) -> str:
        """The id, which is a hash."""
        return self.row.task_id

    @property
    def repository(self) -> str:
        """The name of the repository."""
        return self.row.repository

    @property
    def registers(self) -> tuple[Register, ...]:
        """The registers that the task is offered in, the fullest first."""
        told: dict[Register, str | None] = {
            "full": self.row.statement_full,
            "interface": self.row.statement_interface,
            "terse": self.row.statement_terse,
        }
        return tuple(register for register, text in told.items() if text is not None)

    def statement(self, register: Register = "full") -> str:
        """Return what the solver reads. Raises `UsageError` if there is none in that register."""
        return statement_of(self.row, register)

    def materialize(self, directory: str | os.PathLike[str], register: Register = "full") -> Path:
        """Write the solver's tree to a new or empty directory, as one commit.

        Returns the path of the statement in it. In the register `terse` the hidden tests stand in
        the tree, as the contract. Raises `UsageError` if the directory holds something, or the
        task is not offered in that register.
        """
        return materialize(self.row, self.dataset, Path(directory), register)

    def shell(
        self, directory: str | os.PathLike[str], *, timeout_s: float = TIMEOUT_S,
        output_bytes: int = OUTPUT_BYTES,
    ) -> Shell:  # fmt: skip
        """Return a shell in the task's sandbox, on a directory made by `materialize`.

        Each command of it has `timeout_s` seconds and shows `output_bytes` of what it says. Raises
        `InfrastructureError` if the environment cannot be had.
        """
        place = _workplace(os.getpid(), self._settings).shared_out()
        return open_shell(
            self.row, self.dataset, Path(directory), place.ensure, place.sandbox, place.work,
            timeout_s, output_bytes,
        )  # fmt: skip

    def diff(self, directory: str | os.PathLike[str]) -> bytes:
        """Return what of a solver's directory is graded, as a git diff; nothing of it is run.

        To grade the diff is to grade the directory. Raises as `grade` does.
        """
        work = _workplace(os.getpid(), self._settings).work
        return diff(self.row, self.dataset, Path(directory), work)

    def grade(
        self, submission: os.PathLike[str] | bytes | str, *, total_timeout_s: float = 900.0
    ) -> Reward:
        """Return the reward of a solver's work; nothing that a solver does raises.

        `submission` is the path of a directory made by `materialize`, the path of a git diff of
        it, or the diff itself, as bytes or text. A `str` is always text, never a path, for it may
        be a solver's: paths are `pathlib.Path`. A diff that does not apply earns 0, and `reason`
        says why. Raises `UsageError` for a path that is not there and for a damaged dataset, and
        `InfrastructureError` if this machine could not grade it: that is no verdict.
        """
        work = submission if isinstance(submission, str | bytes) else Path(submission)
        work = work.encode("utf-8", "surrogatepass") if isinstance(work, str) else work
        try:
            place = _workplace(os.getpid(), self._settings).shared_out()
            with closing(place.sandbox):
                return grade(
                    self.row, self.dataset, work, place.ensure, place.sandbox, place.work,
                    total_timeout_s,
                )  # fmt: skip
        except DiffError as error:
            return nothing_earned(self.row, self.dataset, str(error))


@cache
def _workplace(process: int, settings: _Settings) -> Workplace:  # noqa: ARG001 -- a key of the cache
    """Return what `process`, which is this one, opened first: a fork must open its own."""
    return Workplace.open(settings.sandbox, settings.base_image, settings.work)
