"""grade: what a solver's tree or diff earns."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from featuredel import git, trees
from featuredel.errors import DiffError, InfrastructureError, UsageError
from featuredel.grading import Exam, lay_hidden, reward
from featuredel.grading import grade as grade_tree
from featuredel.languages import front_end
from featuredel.model import Environment, EnvironmentRow, Reward, Snapshot, Task
from featuredel.sandbox import Sandbox
from featuredel.scratch import scratch_directory
from featuredel.submission import submission as crossing
from featuredel.tasks.read import (
    damage,
    kept_snapshot,
    kept_task_tree,
    p2p,
    recorded_environment,
    statement_path,
)
from featuredel.tasks.reference import reference

MAX_DIFF_BYTES = 256 << 20

EnsureEnvironment = Callable[[EnvironmentRow, Snapshot], Environment]
"""Returns the recorded environment, built again from its lock where this machine lacks it."""


@contextlib.contextmanager
def _machine() -> Iterator[None]:
    """Raise `InfrastructureError` for what the machine failed at."""
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise InfrastructureError(f"{where}{error.strerror or error}") from error


@_machine()
def grade(
    task: Task, dataset: str, submission: Path | bytes, ensure_environment: EnsureEnvironment,
    sandbox: Sandbox, work: Path, total_timeout_s: float = 900.0, *, f2p_alone: bool = False,
    seed: int | None = None, check_reference: bool = True,
) -> Reward:  # fmt: skip
    """Return the reward of `submission`: a directory made by `materialize`, or a git diff of one.

    A diff is a file, or its bytes. With `f2p_alone` no P2P is run, and the reward is the most that
    it could be. What is drawn for the controls depends on `seed`, or on chance. With
    `check_reference` gold and the untouched task have been graded on this machine within a day, or
    are now. Raises `DiffError` for a diff that does not apply, `InfrastructureError` if this
    machine could not grade it.
    """
    exam = Exam(
        task.hidden_files, task.f2p, () if f2p_alone else p2p(dataset, task), task.allowed_paths,
        task.test_timeout_s, total_timeout_s, task.controls,
    )  # fmt: skip
    with scratch_directory(work) as scratch:
        snapshot = kept_snapshot(dataset, task, work)
        environment = ensure_environment(recorded_environment(dataset, task), snapshot)
        tree = kept_task_tree(dataset, task, snapshot.root, work)
        if isinstance(submission, Path) and submission.is_dir():
            solved = submission
        else:
            solved = scratch / "solved"
            _apply_diff(task, submission, tree, solved)
        ignored = _given(task, tree, solved)
        language = front_end(task.language)

        def of_tree(one: Path, f2p_alone: bool) -> Reward:
            of = replace(exam, p2p=()) if f2p_alone else exam
            return grade_tree(language, sandbox, environment, tree, one, of, scratch)

        if check_reference:
            with damage(dataset, f"task {task.task_id}"):
                usual_s = reference(
                    task, environment.id, sandbox.name, work, scratch, tree, of_tree
                )
            exam = replace(exam, usual_s=usual_s)
        return grade_tree(
            language, sandbox, environment, tree, solved, exam, scratch, ignored, seed
        )


@_machine()
def diff(task: Task, dataset: str, solved: Path, work: Path) -> bytes:
    """Return what of a solver's directory is graded, as a git diff of the task's tree."""
    snapshot = kept_snapshot(dataset, task, work)
    tree = kept_task_tree(dataset, task, snapshot.root, work)
    hidden = [file.path for file in task.hidden_files]
    ignored = _given(task, tree, solved)
    found = crossing(tree, solved, task.allowed_paths, hidden, ignored)
    return git.diff(tree, found.edits)


def nothing_earned(task: Task, dataset: str, reason: str) -> Reward:
    """Return the reward of what could not even be laid out, so that no test was run."""
    exam = Exam(task.hidden_files, task.f2p, p2p(dataset, task), task.allowed_paths)
    return replace(reward({}, exam), reason=reason)


def _apply_diff(task: Task, submission: Path | bytes, tree: Path, dest: Path) -> None:
    """Make `dest` the tree that a diff describes, of whatever register it is."""
    told = "the diff" if isinstance(submission, bytes) else str(submission)
    patch = submission if isinstance(submission, bytes) else _read(submission)
    if len(patch) > MAX_DIFF_BYTES:
        raise DiffError(f"{told}: more than {MAX_DIFF_BYTES >> 20} MiB; give a diff")
    trees.build_tree(tree, {}, dest)  # `git.apply` replaces files, and writes to none
    # models leave off the end of the last line; a diff that is nothing but blanks changes nothing
    patch = patch if patch.endswith(b"\n") else patch + b"\n"
    patch = patch if patch.strip() else b""
    statement = statement_path(tree)
    try:
        git.apply(patch, dest, without=statement)
    except ValueError:  # in the register `terse` the hidden files stood in the solver's tree
        lay_hidden(task.hidden_files, dest)
        try:
            git.apply(patch, dest, without=statement)
        except ValueError as error:
            raise DiffError(f"{told}: {error}") from error


def _read(diff: Path) -> bytes:
    try:
        with diff.open("rb") as file:
            return file.read(MAX_DIFF_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{diff}: {error.strerror}; give a directory or a diff") from error


def _given(task: Task, tree: Path, solved: Path) -> set[str]:
    """Return paths that the solver was given besides the task's tree, as they were."""
    return {statement_path(tree), *_untouched_hidden(task, solved)}


def _untouched_hidden(task: Task, solved: Path) -> Iterator[str]:
    """Yield the hidden files that the solver was given and left as they are."""
    for file in task.hidden_files:
        path = solved / file.path
        with contextlib.suppress(OSError):  # the solver may have closed a folder
            if (
                path.is_file()
                and not path.is_symlink()
                and trees.read(solved, file.path) == file.content
            ):
                yield file.path
