"""Gold and the untouched task are graded once a day, and what is wrong then is no verdict."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from candidates import EDITS, FILES, snapshot
from samples import task as sample

from featuredel import git, trees
from featuredel.errors import InfrastructureError
from featuredel.model import ControlResult, Reward, Task, TestId
from featuredel.tasks.reference import DAY_S, FOLDER, reference

TEST = TestId("tests/test_more.py::test_mul")
NOTHING = Reward(0.0, False, 0.0, 1.0, {TEST: "failed"}, ())
ALL = Reward(1.0, True, 1.0, 1.0, {TEST: "passed"}, (), durations_s={TEST: 0.25})
GOLD = {path: FILES[path] for path in ("calc/__init__.py", "calc/more.py")}


class Grader:
    """Grades a tree by whether it is gold's."""

    def __init__(self, gold: Reward = ALL, untouched: Reward = NOTHING) -> None:
        self.gold, self.untouched = gold, untouched
        self.seen: list[tuple[bool, bool]] = []  # is gold, F2P alone

    def __call__(self, tree: Path, f2p_alone: bool) -> Reward:
        is_gold = all((tree / path).read_bytes() == content for path, content in GOLD.items())
        self.seen.append((is_gold, f2p_alone))
        return self.gold if is_gold else self.untouched


Ask = Callable[..., object]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    origin = snapshot(tmp_path / "snapshot")
    trees.build_tree(origin.root, EDITS, tmp_path / "task")
    row = sample(gold_patch=git.diff(tmp_path / "task", GOLD))
    scratch = iter(range(100))

    def asked(grade: Grader, task: Task = row, sandbox: str = "bubblewrap") -> object:
        own = tmp_path / f"scratch{next(scratch)}"
        own.mkdir()
        work = tmp_path / "work"
        return reference(task, "env", sandbox, work, own, tmp_path / "task", grade)

    asked.row = row  # type: ignore[attr-defined]
    return asked


def test_once_a_day(ask: Ask, tmp_path: Path) -> None:
    grade = Grader()
    assert ask(grade) == ask(grade) == {TEST: 0.25}
    assert grade.seen == [(True, False), (False, True)]
    (file,) = (p for p in (tmp_path / "work" / FOLDER).iterdir() if p.suffix != ".lock")
    old = file.stat().st_mtime - DAY_S
    os.utime(file, (old, old))
    assert ask(grade) == {TEST: 0.25}
    assert len(grade.seen) == 4


def test_what_counts_apart(ask: Ask) -> None:
    grade = Grader()
    row: Task = ask.row  # type: ignore[attr-defined]
    ask(grade)
    ask(grade, sandbox="docker")
    ask(grade, replace(row, task_id="other"))
    ask(grade, replace(row, controls=()))
    ask(grade, replace(row, f2p=()))
    assert len(grade.seen) == 10


@pytest.mark.parametrize(
    ("grade", "told"),
    [
        (Grader(gold=NOTHING), "the reference solution earns 0.00: .*test_mul failed"),
        (Grader(untouched=replace(NOTHING, reward=0.5)), "the untouched task earns 0.50"),
        (
            Grader(gold=replace(ALL, resolved=False, reward=0.0, tampered=True,
                                controls=(ControlResult("canary", "broken", (), "1 passed"),))),
            "control canary: 1 passed",
        ),
    ],
)  # fmt: skip
def test_a_failure_is_no_verdict_and_is_not_kept(grade: Grader, told: str, ask: Ask) -> None:
    for _ in range(2):
        with pytest.raises(InfrastructureError, match=told):
            ask(grade)
    assert len(grade.seen) == 4


def test_what_was_half_written_does_not_count(ask: Ask, tmp_path: Path) -> None:
    grade = Grader()
    ask(grade)
    (file,) = (p for p in (tmp_path / "work" / FOLDER).iterdir() if p.suffix != ".lock")
    file.write_text('{"a": ')
    assert ask(grade) == {TEST: 0.25}
    assert len(grade.seen) == 4


def test_who_comes_at_once_waits(ask: Ask) -> None:
    grade = Grader()
    threads = [Thread(target=ask, args=(grade,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(grade.seen) == 2
