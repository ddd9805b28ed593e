"""Seeing that a task can be graded here: gold earns 1 and the untouched task nothing."""

import hashlib
import json
import shutil
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from featuredel import git, trees
from featuredel.errors import InfrastructureError
from featuredel.model import Reward, Task, TestId
from featuredel.scratch import alone

FOLDER = "references"
"""Of the work folder; each file in it says of one task when that was seen, and gold's times."""

DAY_S = 24 * 3600.0

GradeTree = Callable[[Path, bool], Reward]
"""Grades a tree of the task, as a submission is graded; of F2P alone, if so told."""


def reference(
    task: Task, environment_id: str, sandbox: str, work: Path, scratch: Path, tree: Path,
    grade: GradeTree,
) -> Mapping[TestId, float]:  # fmt: skip
    """Return how long gold's F2P take here, in seconds; grade gold and nothing once a day.

    `tree` is the task's. Raises `InfrastructureError` if either earns what it should not.
    """
    folder = work / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    said = (repr(task), environment_id, sandbox, socket.gethostname())
    file = folder / hashlib.sha256("\0".join(said).encode()).hexdigest()[:32]
    with alone(file.with_suffix(".lock")):
        known = _known(file)
        if known is None:
            known = _seen(task, scratch, tree, grade)
            partial = scratch / file.name  # which goes at the next start if this is killed
            partial.write_text(json.dumps(known))
            partial.replace(file)
    return known


def _known(file: Path) -> dict[TestId, float] | None:
    """Return what a file says, if it is of the last day and whole."""
    try:
        if not 0 <= time.time() - file.stat().st_mtime < DAY_S:
            return None
        said = json.loads(file.read_text())
    except (OSError, ValueError):
        return None
    return {TestId(test): float(took_s) for test, took_s in said.items()}


def _seen(task: Task, scratch: Path, tree: Path, grade: GradeTree) -> dict[TestId, float]:
    gold = scratch / "gold"
    trees.build_tree(tree, {}, gold)  # `git.apply` replaces files, and writes to none
    git.apply(task.gold_patch, gold)
    solved, untouched = grade(gold, False), grade(tree, True)
    shutil.rmtree(gold)
    if not solved.resolved:
        raise InfrastructureError(
            f"{task.task_id}: cannot be graded here: the reference solution earns"
            f" {solved.reward:.2f}: {_told(solved)}; try again, or run featuredel check"
        )
    if untouched.reward:
        raise InfrastructureError(
            f"{task.task_id}: cannot be graded here: the untouched task earns"
            f" {untouched.reward:.2f}; run featuredel check"
        )
    return dict(solved.durations_s)


def _told(reward: Reward) -> str:
    """Return why a tree is not resolved, for a person."""
    broken = [
        f"control {one.kind}: {one.detail}" for one in reward.controls if one.outcome == "broken"
    ]
    failed = [
        f"{test} {outcome}" for test, outcome in reward.outcomes.items() if outcome != "passed"
    ]
    return ", ".join((broken + failed)[:5])
