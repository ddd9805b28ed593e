"""A dataset of four tasks in two repositories, of which one holds another."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samples import task

from featuredel.model import Cost, Rejection, Scores, SnapshotRow, Task
from featuredel.stages.score import tier_of
from featuredel.stages.write import Content, write

SMALL, LARGE, OTHER, PLAIN = "a" * 16, "b" * 16, "c" * 16, "d" * 16
SCORES = {  # what the score says of so many lines, and of the other columns of `samples.task`
    2: Scores(0.0272, 0.04, 0.033),
    40: Scores(0.1819, 0.2491, 0.2136),
    200: Scores(0.4398, 0.5394, 0.4895),
}


def tasks() -> tuple[Task, ...]:
    lines = {SMALL: 2, LARGE: 200, OTHER: 40, PLAIN: 40}
    return tuple(
        task(
            task_id=name, repository="r" if name in (SMALL, LARGE) else "s", gold_lines=size,
            split="validation" if name == OTHER else "train", statement_terse="Do.",
            statement_interface=None if name == PLAIN else "def f()", reward_strength=0.5,
            parents=(LARGE,) if name == SMALL else (), difficulty=SCORES[size],
            tier=tier_of(SCORES[size].full),
        )
        for name, size in lines.items()
    )  # fmt: skip


def write_tasks(folder: Path) -> str:
    """Write the tasks, and a row of each side table, to a dataset in `folder`; return where."""
    content = Content(
        tasks(), snapshots=(SnapshotRow("r", "s", "", None, None, "MIT", "t", b"x", 1),),
        rejections=(Rejection("r", "f", "validate", "P2P fail", ""),),
        costs=(Cost("r", "f", "validate", 1.0, 2.0, "host"),),
    )  # fmt: skip
    write(str(folder / "data"), content)
    return str(folder / "data")


def write_outcomes(folder: Path, *rows: Mapping[str, Any]) -> Path:
    file = folder / "outcomes.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def solved(task_id: str, attempts: int, solved: int, register: str = "full") -> dict[str, Any]:
    return {"task_id": task_id, "register": register, "attempts": attempts, "solved": solved}
