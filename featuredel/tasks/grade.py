"""grade: what a solver's tree or diff earns."""

import dataclasses
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from featuredel import git, trees
from featuredel.errors import UsageError
from featuredel.grading import Exam, lay_hidden
from featuredel.grading import grade as grade_tree
from featuredel.languages import front_end
from featuredel.model import Environment, EnvironmentRow, Reward, Snapshot, Task
from featuredel.sandbox import Sandbox
from featuredel.scratch import scratch_directory
from featuredel.tasks.read import (
    delete_feature,
    p2p,
    recorded_environment,
    statement_path,
    unpack_snapshot,
)
from featuredel.tasks.reference import reference

MAX_DIFF_BYTES = 256 << 20

EnsureEnvironment = Callable[[EnvironmentRow, Snapshot], Environment]
"""Returns the recorded environment, built again from its lock where this machine lacks it."""


def grade(
    task: Task, dataset: str, submission: Path, ensure_environment: EnsureEnvironment,
    sandbox: Sandbox, work: Path, total_timeout_s: float = 900.0, *, f2p_alone: bool = False,
    seed: int | None = None, check_reference: bool = True,
) -> Reward:  # fmt: skip
    """Return the reward of `submission`: a directory made by `materialize`, or a git diff of one.

    With `f2p_alone` no P2P is run, and the reward is the most that it could be. What is drawn for
    the controls depends on `seed`, or on chance. With `check_reference` gold and the untouched
    task have been graded on this machine within a day, or are now. Raises `UsageError` for a diff
    that does not apply, `InfrastructureError` if this machine could not grade it.
    """
    exam = Exam(
        task.hidden_files, task.f2p, () if f2p_alone else p2p(dataset, task), task.allowed_paths,
        task.test_timeout_s, total_timeout_s, task.controls,
    )  # fmt: skip
    with scratch_directory(work) as scratch:
        snapshot = unpack_snapshot(dataset, task, scratch / "snapshot")
        environment = ensure_environment(recorded_environment(dataset, task), snapshot)
        tree = scratch / "task"
        shutil.copytree(snapshot.root, tree, symlinks=True)
        delete_feature(dataset, task, tree)
        solved = submission if submission.is_dir() else scratch / "solved"
        if solved != submission:
            _apply_diff(task, submission, tree, solved)
        ignored = {statement_path(tree), *_untouched_hidden(task, solved)}
        language = front_end(task.language)

        def of_tree(one: Path, f2p_alone: bool) -> Reward:
            of = dataclasses.replace(exam, p2p=()) if f2p_alone else exam
            return grade_tree(language, sandbox, environment, tree, one, of, scratch)

        if check_reference:
            usual_s = reference(task, environment.id, sandbox.name, work, scratch, tree, of_tree)
            exam = dataclasses.replace(exam, usual_s=usual_s)
        return grade_tree(
            language, sandbox, environment, tree, solved, exam, scratch, ignored, seed
        )


def _apply_diff(task: Task, submission: Path, tree: Path, dest: Path) -> None:
    """Make `dest` the tree that a diff describes, of whatever register it is."""
    try:
        with submission.open("rb") as file:
            patch = file.read(MAX_DIFF_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{submission}: {error.strerror}; give a directory or a diff") from error
    if len(patch) > MAX_DIFF_BYTES:
        raise UsageError(f"{submission}: more than {MAX_DIFF_BYTES >> 20} MiB; give a diff")
    shutil.copytree(tree, dest, symlinks=True)
    statement = statement_path(tree)
    try:
        git.apply(patch, dest, without=statement)
    except ValueError:  # in the register `terse` the hidden files stood in the solver's tree
        lay_hidden(task.hidden_files, dest)
        try:
            git.apply(patch, dest, without=statement)
        except ValueError as error:
            raise UsageError(f"{submission}: {error}") from error


def _untouched_hidden(task: Task, solved: Path) -> Iterator[str]:
    """Yield the hidden files that the solver was given and left as they are."""
    for file in task.hidden_files:
        path = solved / file.path
        if (
            path.is_file()
            and not path.is_symlink()
            and trees.read(solved, file.path) == file.content
        ):
            yield file.path
