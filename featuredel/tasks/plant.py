"""Planting the answers of written tasks."""

import ast
import os
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from featuredel import tables, trees
from featuredel.errors import UsageError
from featuredel.leaks.needles import needles_of
from featuredel.leaks.plant import Making
from featuredel.leaks.plant.answer import Answer
from featuredel.leaks.plant.measure import Recall, measure
from featuredel.leaks.plant.tools import Tools
from featuredel.leaks.plant.toys import toys
from featuredel.model import Task
from featuredel.patches import added_lines, added_text
from featuredel.sandbox import Sandbox
from featuredel.scratch import scratch_directory
from featuredel.tasks.read import delete_feature, read, unpack_snapshot

_TIME_S = 1_600_000_000.0
"""Of all files: a zip archive knows no times before 1980, which a snapshot's are."""


def plant(
    dataset: str, tasks: Sequence[str], makings: Iterable[Making], sandbox: Sandbox, work: Path,
    told: Callable[[str, float], None] = lambda _name, _s: None,
) -> Iterator[Recall]:  # fmt: skip
    """Plant the answers of tasks, and the toys of other languages; yield what was found.

    Without `tasks`, it is the largest of each repository. `told` is as in `measure`.
    """
    chosen = [read(dataset, name) for name in tasks] or list(largest(dataset))
    with scratch_directory(work) as scratch:
        answers = [answer_of(dataset, task, scratch / task.task_id) for task in chosen]
        everything = {**toys(), "task": tuple(answers)}
        yield from measure(makings, everything, Tools(work / "plant-tools"), sandbox, work, told)


def largest(dataset: str) -> Iterator[Task]:
    """Yield of each repository the task with the most deleted lines.

    Raises `UsageError` if there is none.
    """
    found: dict[str, Task] = {}
    for task in sorted(tables.read_tasks(dataset), key=lambda t: (t.gold_lines, t.task_id)):
        found[task.repository] = task
    if not found:
        raise UsageError(f"{dataset}: there is no task in it")
    yield from (found[name] for name in sorted(found))


def answer_of(dataset: str, task: Task, place: Path) -> Answer:
    """Unpack the snapshot of `task` into `place` and return what the deletion took from it.

    Needles are what neither the remaining tree nor Python's own library shows, and no path: such
    a word would be found in an artefact that the scan cannot read. What the statement tells still
    counts: the question is whether the scan reads an artefact, not whether the task may hold it.
    """
    before, after = place / "before", place / "after"
    unpack_snapshot(dataset, task, before)
    unpack_snapshot(dataset, task, after)
    delete_feature(dataset, task, after)
    for path in trees.files(before):
        os.utime(before / path, (_TIME_S, _TIME_S), follow_symlinks=False)
    added = added_lines(task.gold_patch)
    deleted = {path: _lines(before / path, numbers) for path, numbers in added.items()}
    held = [trees.read(after, path).decode(errors="replace") for path in trees.files(after)]
    tests = [file.path for file in task.hidden_files if stands_alone(before, file.path)]
    name = f"{task.repository} {task.task_id[:8]}"
    needles = needles_of(added_text(task.gold_patch), [*held, *library(), *deleted])
    return Answer(name, before, deleted, needles, tuple(tests))


def library() -> Iterator[str]:
    """Yield the sources of Python's own library, without its tests and what was installed."""
    root = Path(sysconfig.get_path("stdlib"))
    for path in sorted(root.rglob("*.py")):
        if not {"site-packages", "test", "tests", "idlelib"} & set(path.parts):
            yield path.read_text(errors="replace")


def _lines(path: Path, numbers: frozenset[int]) -> str:
    lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True)
    return "".join(lines[number - 1] for number in sorted(numbers) if number <= len(lines))


def stands_alone(root: Path, name: str) -> bool:
    """Return whether it is a test module that imports without what its project installs for it."""
    path = root / name
    if not (path.name.startswith("test_") or path.name.endswith("_test.py")):
        return False
    if path.suffix != ".py" or not path.is_file():
        return False
    nodes = ast.walk(ast.parse(path.read_bytes()))
    return {name for node in nodes for name in _imported(node)} <= _known(root, path)


def _imported(node: ast.AST) -> set[str]:
    """Return the packages that a statement imports from."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    return {name.partition(".")[0] for name in names}


def _known(root: Path, test: Path) -> set[str]:
    own = {path.stem for place in (root, root / "src", test.parent) for path in place.glob("*")}
    return {"pytest", "hypothesis", *sys.stdlib_module_names, *own}
