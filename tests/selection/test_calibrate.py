"""Calibration changes difficulty, tier and the table of its own, and nothing else."""

import dataclasses
import hashlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from selection.datasets import LARGE, OTHER, PLAIN, SCORES, SMALL, tasks, write_tasks

from featuredel import tables
from featuredel.errors import InfrastructureError, UsageError
from featuredel.model import CalibrationRow, StatementRow, Task
from featuredel.selection.calibrate import calibrate
from featuredel.selection.outcomes import Counts, Outcome
from featuredel.selection.pool import REGISTERS, ScoredPool
from featuredel.selection.posterior import Fit, fit
from featuredel.stages.score import tier_of
from featuredel.stages.write import Content, write

OUTCOMES = [Outcome(SMALL, 0, 50, 50), Outcome(LARGE, 0, 50, 0), Outcome(LARGE, 1, 10, 0)]


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    return write_tasks(tmp_path)


def rows(dataset: str) -> dict[str, Task]:
    return {task.task_id: task for task in tables.read_tasks(dataset)}


def files(dataset: str) -> dict[str, bytes]:
    root = Path(dataset)
    found = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def test_difficulty_and_tier_follow_the_outcomes(dataset: str) -> None:
    done = calibrate(dataset, OUTCOMES)
    found = rows(dataset)
    assert found[SMALL].difficulty.full < 0.02
    assert found[LARGE].difficulty.full > 0.95
    assert found[LARGE].tier == "extreme" != tasks()[1].tier
    assert all(task.tier == tier_of(task.difficulty.full) for task in found.values())
    assert found[OTHER].difficulty != pytest.approx(SCORES[40])  # nobody tried it
    assert (done.attempts, done.tried, done.tasks, done.strangers) == (110, 2, 4, 0)
    assert done.moved == sum(found[t.task_id].tier != t.tier for t in tasks())
    assert done.corrections["gold_lines"] < 0


def test_nothing_else_of_a_row_changes(dataset: str) -> None:
    before = rows(dataset)
    calibrate(dataset, OUTCOMES)
    for task_id, after in rows(dataset).items():
        old = before[task_id]
        assert old == dataclasses.replace(after, difficulty=old.difficulty, tier=old.tier)


def test_statements_card_and_manifest_follow(dataset: str) -> None:
    kept = {k: v for k, v in files(dataset).items() if k.split("/")[0] in ("snapshots", "costs")}
    calibrate(dataset, OUTCOMES)
    after, found = files(dataset), rows(dataset)
    assert kept == {name: after[name] for name in kept}
    for row in tables.read_rows(dataset, "statements", StatementRow):
        task = found[row.task_id]
        assert (row.tier, row.difficulty) == (task.tier, getattr(task.difficulty, row.register))
    manifest = json.loads(after["manifest.json"])["shards"]
    assert sorted(manifest) == tables.files_of(dataset)
    for name, shard in manifest.items():
        assert shard["sha256"] == hashlib.sha256(after[name]).hexdigest()
    front = yaml.safe_load(after["README.md"].decode().split("---")[1])
    assert "calibration" in [config["config_name"] for config in front["configs"]]


def test_the_table_has_a_row_for_each_register_that_a_task_has(dataset: str) -> None:
    calibrate(dataset, OUTCOMES)
    table = list(tables.read_rows(dataset, "calibration", CalibrationRow))
    assert sorted((row.task_id, row.register) for row in table) == sorted(
        (task, register)
        for task in (SMALL, LARGE, OTHER, PLAIN)
        for register in REGISTERS
        if (task, register) != (PLAIN, "interface")
    )
    found = rows(dataset)
    for row in table:
        assert row.low < row.mean < row.high
        assert row.mean == pytest.approx(row.alpha / (row.alpha + row.beta))
        told = getattr(found[row.task_id].difficulty, row.register)
        assert told == pytest.approx(1 - row.mean, abs=1e-4)
    counts = {(row.task_id, row.register): (row.attempts, row.solved) for row in table}
    assert counts[SMALL, "full"] == (50, 50)
    assert counts[LARGE, "interface"] == (10, 0)
    assert counts[OTHER, "full"] == (0, 0)


def test_without_outcomes_not_a_byte_of_tasks_changes(dataset: str) -> None:
    before = files(dataset)
    done = calibrate(dataset, [])
    after = files(dataset)
    changed = {name for name in after if before.get(name) != after[name]}
    assert {name.split("/")[0] for name in changed} == {"calibration", "README.md", "manifest.json"}
    assert done.moved == 0


def test_the_outcomes_given_are_all_that_count(dataset: str) -> None:
    calibrate(dataset, OUTCOMES)
    once = files(dataset)
    calibrate(dataset, OUTCOMES)
    assert files(dataset) == once
    calibrate(dataset, [])
    assert {name: task.difficulty.full for name, task in rows(dataset).items()} == {
        t.task_id: pytest.approx(t.difficulty.full) for t in tasks()
    }


def test_half_of_an_outcome_counts_for_less(dataset: str) -> None:
    calibrate(dataset, [Outcome(SMALL, 0, 50, 0), Outcome(LARGE, 0, 50, 50)])
    stale = rows(dataset)[SMALL].difficulty.full
    calibrate(dataset, [Outcome(SMALL, 0, 50, 0), Outcome(LARGE, 0, 50, 50)], half_life=5)
    assert rows(dataset)[SMALL].difficulty.full < stale - 0.3


def test_outcomes_of_another_dataset_are_a_mistake(dataset: str) -> None:
    before = files(dataset)
    with pytest.raises(UsageError, match="none of the 7 outcomes is of a task of this dataset"):
        calibrate(dataset, [Outcome("nowhere", 0, 7, 3)])
    assert files(dataset) == before
    assert calibrate(dataset, [*OUTCOMES, Outcome("nowhere", 0, 7, 3)]).strangers == 7


def test_damage_is_told_where_it_is(dataset: str) -> None:
    (file,) = Path(dataset, "snapshots").iterdir()
    file.unlink()
    file.write_bytes(b"no Parquet")
    with pytest.raises(UsageError, match=f"{file}: damaged"):
        calibrate(dataset, OUTCOMES)


def test_a_run_makes_what_it_replaces_uncalibrated(dataset: str) -> None:
    calibrate(dataset, OUTCOMES)
    write(dataset, Content(tuple(task for task in tasks() if task.repository == "r")))
    table = list(tables.read_rows(dataset, "calibration", CalibrationRow))
    assert {row.repository for row in table} == {"s"}
    assert rows(dataset)[SMALL].difficulty.full == pytest.approx(tasks()[0].difficulty.full)


def test_a_dataset_elsewhere_is_written_there() -> None:
    url = "memory://calibrated"
    write(url, Content(tasks()))
    calibrate(url, OUTCOMES)
    assert rows(url)[LARGE].tier == "extreme"


KILLED = """
import os, signal, sys
from featuredel import tables
from featuredel.selection.calibrate import calibrate
from featuredel.selection.outcomes import Outcome
left = int(sys.argv[2])
write_bytes = tables.write_bytes
def wrapped(url, data):
    global left
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    write_bytes(url, data)
tables.write_bytes = tables.writing.write_bytes = wrapped
calibrate(sys.argv[1], [Outcome("b" * 16, 0, 50, 0)])
"""


def test_a_calibration_that_is_killed_leaves_the_old_dataset(dataset: str) -> None:
    before = files(dataset)
    writes = 0
    while True:
        command = [sys.executable, "-c", KILLED, dataset, str(writes)]
        ended = subprocess.run(command, check=False).returncode
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
        assert files(dataset) == before
        writes += 4
    assert writes > 8
    assert rows(dataset)[LARGE].tier == "extreme"
    assert list(Path(dataset).parent.iterdir()) == [Path(dataset)]


def test_what_a_run_writes_meanwhile_is_not_lost(
    dataset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit_slowly(pool: ScoredPool, counts: Counts) -> Fit:
        write(dataset, Content(tuple(task for task in tasks() if task.repository == "r")))
        return fit(pool, counts)

    monkeypatch.setattr("featuredel.selection.calibrate.fit", fit_slowly)
    with pytest.raises(InfrastructureError, match="another process changed it; run this again"):
        calibrate(dataset, OUTCOMES)
    assert rows(dataset)[SMALL].difficulty.full == pytest.approx(tasks()[0].difficulty.full)
    assert {task.task_id for task in tables.read_tasks(dataset)} == {SMALL, LARGE, OTHER, PLAIN}
