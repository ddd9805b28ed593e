"""SWE-bench: a row a task, as version 5 of its package reads them.

Its harness runs the suite once, and goes by what that prints.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from featuredel import git, tables
from featuredel.errors import UsageError
from featuredel.export.eval_script import END, START, eval_script
from featuredel.grading import lay_hidden
from featuredel.languages import front_end
from featuredel.model import Register, Task, TestId
from featuredel.scratch import scratch_directory
from featuredel.tasks.materialize import materialize, statement_of
from featuredel.tasks.read import p2p, recorded_environment

IMAGE = "featuredel/task:{instance_id}-{register}"
"""What `featuredel image` calls the image that it makes."""


UNSEEN = "SWE-bench's parser does not read their ids back"


@dataclass(frozen=True, slots=True)
class Instance:
    """A row, with the names that SWE-bench has for what it holds."""

    repo: str
    instance_id: str  # the task's, so that predictions are of both
    base_commit: str  # of the tree that `materialize` makes
    patch: str  # the fix, without tests
    test_patch: str
    problem_statement: str
    hints_text: str
    created_at: str
    version: str
    FAIL_TO_PASS: str  # JSON, as is the next
    PASS_TO_PASS: str
    environment_setup_commit: str
    image: str
    log_parser: str
    eval_type: str
    eval_script: str


@dataclass(frozen=True, slots=True)
class Exported:
    """What became of a task: a row, or the reason why there is none."""

    task_id: str
    repository: str
    instance: Instance | None
    left_out: tuple[TestId, ...] = ()  # P2P, for their ids
    refusal: str = ""


def export(dataset: str, register: Register, image: str = IMAGE) -> Iterator[Exported]:
    """Yield what becomes of each task of `dataset`.

    `image` names a task's image, with `{instance_id}` in it, and `{register}` where it is wanted.
    Raises `UsageError` for one that names the same image for all.
    """
    if "{instance_id}" not in image:
        raise UsageError(f"--image {image}: each task has its own; put {{instance_id}} into it")
    for task in tables.read_tasks(dataset):
        name = image.replace("{instance_id}", task.task_id).replace("{register}", register)
        yield _exported(task, dataset, register, name)


def write(file: str, instances: list[Instance]) -> None:
    """Write rows as Parquet or JSON lines, by the ending of `file`. Raises `UsageError`."""
    check_file(file)
    if file.endswith(".parquet"):
        tables.write_table(file, instances, Instance)
    else:  # their reader ends lines at more than line feeds; none of those is ASCII in JSON
        lines = "".join(f"{json.dumps(asdict(one), ensure_ascii=True)}\n" for one in instances)
        tables.write_bytes(file, lines.encode())


def check_file(file: str) -> None:
    """Raise `UsageError` for what no row could be written to."""
    if not file.endswith((".parquet", ".jsonl")):
        raise UsageError(f"{file}: give a name that ends in .parquet or .jsonl")
    tables.check_file(file)


def _exported(task: Task, dataset: str, register: Register, image: str) -> Exported:
    language, stay = front_end(task.language), p2p(dataset, task)
    known = (*task.f2p, *stay)
    lost = {test for test in known if not language.reads_back(test, known)}
    left_out = tuple(test for test in stay if test in lost)
    refusal = ""
    if untold := [test for test in task.f2p if test in lost]:
        refusal = f"{len(untold)} F2P, one of them {untold[0]!r}: {UNSEEN}"
    try:
        statement_of(task, register)
    except UsageError as error:
        refusal = str(error).partition(": ")[2]
    if refusal:
        return Exported(task.task_id, task.repository, None, left_out, refusal)
    told = tuple(test for test in stay if test not in lost)
    made = _instance(task, dataset, register, image, told)
    return Exported(task.task_id, task.repository, made, left_out)


def _instance(
    task: Task, dataset: str, register: Register, image: str, stay: tuple[TestId, ...]
) -> Instance:
    language, environment = front_end(task.language), recorded_environment(dataset, task)
    version, released = _release(dataset, task)
    hidden = [file.path for file in task.hidden_files]
    with scratch_directory() as scratch:
        tree = scratch / "tree"
        materialize(task, dataset, tree, register)
        commit = git.head(tree)
        standing = [path for path in hidden if (tree / path).is_symlink() or (tree / path).exists()]
        gold = patch_of(tree, lambda root: git.apply(task.gold_patch, root))
        tests = patch_of(tree, lambda root: lay_hidden(task.hidden_files, root))
    run = language.printed_run(
        task.test_command,
        json.loads(environment.variables),
        task.test_timeout_s,
        _aside(dataset, task, stay),
    )
    return Instance(
        repo=task.repository,
        instance_id=task.task_id,
        base_commit=commit,
        patch=gold,
        test_patch=tests,
        problem_statement=statement_of(task, register),
        hints_text="",
        created_at=f"{released}T00:00:00Z" if released else "",
        version=version,
        FAIL_TO_PASS=json.dumps(task.f2p),
        PASS_TO_PASS=json.dumps(stay),
        environment_setup_commit=commit,
        image=image,
        log_parser=run.parser,
        eval_type="pass_and_fail",
        eval_script=eval_script(commit, hidden, standing, tests, run),
    )


def _aside(dataset: str, task: Task, stay: tuple[TestId, ...]) -> set[TestId]:
    """Return the tests of the suite that say nothing of this task."""
    columns = ("id", "snapshot_tree", "environment_id")
    rows = tables.read_columns(dataset, "tests", columns)
    its_own = (task.snapshot_tree, task.environment_id)
    return {TestId(test) for test, *rest in rows if tuple(rest) == its_own} - {*task.f2p, *stay}


def patch_of(tree: Path, change: Callable[[Path], None]) -> str:
    """Return what a change does to a tree as a patch that a row and a script can hold."""
    with scratch_directory() as scratch:
        changed = scratch / "changed"
        shutil.copytree(tree, changed, symlinks=True)
        change(changed)
        patch = git.uncommitted(changed)
        if not _is_text(patch):
            patch = git.uncommitted(changed, binary=True)
    return patch.decode()


def _is_text(patch: bytes) -> bool:
    try:
        text = patch.decode()
    except UnicodeDecodeError:
        return False
    # a shell drops NUL, and the harness takes the first mark in the script for the script's own
    return not any(mark in text for mark in ("\0", START, END))


def _release(dataset: str, task: Task) -> tuple[str, str]:
    """Return the version of the task's snapshot and its date, "" for what is not known."""
    columns = ("repository", "tree", "version", "released")
    for repository, tree, version, released in tables.read_columns(dataset, "snapshots", columns):
        if (repository, tree) == (task.repository, task.snapshot_tree):
            return version or "", released or ""
    return "", ""
