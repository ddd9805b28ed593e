"""A batch of predictions from the command line: rewards, errors, and going on."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from toy_dataset import MUL, NEG, have_environment, write_two_tasks

from featuredel import jobs, tables
from featuredel.errors import InfrastructureError
from featuredel.model import Task, TestRow
from featuredel.tasks.rewards import Graded

PATIENCE_S = 600.0


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    return write_two_tasks(tmp_path)


def predict(dataset: str, *models: str) -> list[dict[str, Any]]:
    """Return what models answer to every task: gold, broken, or nothing."""
    return [
        {
            "instance_id": task.task_id,
            "model_name_or_path": model,
            "model_patch": {"gold": task.gold_patch.decode(), "broken": "```"}.get(model),
        }
        for task in tables.read_tasks(dataset)
        for model in models
    ]


def grade(
    dataset: str, asked: Sequence[dict[str, Any]], *words: str
) -> subprocess.CompletedProcess[str]:
    """Call `featuredel grade --batch` in the folder of the dataset."""
    folder = Path(dataset).parent
    lines = "".join(json.dumps(entry) + "\n" for entry in asked)
    (folder / "predictions.jsonl").write_text(lines)
    return subprocess.run(
        [
            sys.executable, "-m", "featuredel", "grade", dataset, "--batch", "predictions.jsonl",
            "--sandbox", "bubblewrap", "--work", "work", "--workers", "2", *words,
        ],
        cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip


def rows(text: str) -> dict[tuple[str, str], Any]:
    found = [json.loads(line) for line in text.splitlines()]
    by_key = {(row["instance_id"], row["model"]): row for row in found}
    assert len(by_key) == len(found)
    return by_key


@pytest.mark.sandbox
def test_a_line_for_each_prediction(dataset: str, tmp_path: Path) -> None:
    have_environment(tmp_path / "work")
    asked = predict(dataset, "gold", "none", "broken")
    done = grade(dataset, asked, "--out", "out.jsonl")
    assert done.returncode == 0, done.stderr
    found = rows((tmp_path / "out.jsonl").read_text())
    assert len(found) == 6 and done.stdout == ""
    for (_, model), row in found.items():
        assert row["reward"] == float(model == "gold") == row["f2p_rate"]
        assert row["resolved"] == (model == "gold") and row["error"] is None
        assert bool(row["reason"]) == (model == "broken")
    assert "gold: 2 of 2 resolved, mean reward 1.000\n" in done.stderr
    before = (tmp_path / "out.jsonl").read_bytes()
    again = grade(dataset, asked, "--out", "out.jsonl")
    assert again.returncode == 0 and "6 of 6 have their reward already" in again.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == before
    printed = grade(dataset, asked[:1])
    drawn = {"seed": 0, "durations_s": {}}
    (row,) = rows(printed.stdout).values()
    assert row | drawn == found[MUL, "gold"] | drawn


@pytest.mark.sandbox
def test_a_machine_that_fails_is_no_verdict_and_the_others_go_on(
    dataset: str, tmp_path: Path
) -> None:
    have_environment(tmp_path / "work")
    (neg,) = tables.read_tasks(dataset, task_id=NEG)
    in_the_way = tmp_path / "work" / "tasks" / neg.task_tree
    in_the_way.parent.mkdir()
    in_the_way.write_bytes(b"")
    asked = predict(dataset, "gold")
    done = grade(dataset, asked, "--out", "out.jsonl")
    assert done.returncode == 3, done.stderr
    found = rows((tmp_path / "out.jsonl").read_text())
    assert found[MUL, "gold"]["reward"] == 1.0
    assert found[NEG, "gold"]["reward"] is None and found[NEG, "gold"]["error"]
    assert "gold: 1 of 2 resolved, mean reward 1.000, 1 not graded" in done.stderr
    in_the_way.unlink()
    again = grade(dataset, asked, "--out", "out.jsonl")
    assert again.returncode == 0, again.stderr
    assert "1 of 2 have their reward already" in again.stderr
    mended = rows((tmp_path / "out.jsonl").read_text())
    assert mended[NEG, "gold"]["reward"] == 1.0
    assert mended[MUL, "gold"] == found[MUL, "gold"]


@pytest.mark.sandbox
def test_a_damaged_dataset_is_the_user_s_to_mend(dataset: str, tmp_path: Path) -> None:
    have_environment(tmp_path / "work")
    tables.write_shards(dataset, "tests", "train", [], TestRow)
    done = grade(dataset, predict(dataset, "none")[:1])
    assert done.returncode == 2, done.stderr
    assert "tests/ gives 0" in json.loads(done.stdout)["error"]


def test_nothing_is_graded_of_a_file_with_a_mistake(dataset: str, tmp_path: Path) -> None:
    asked = [*predict(dataset, "gold"), {"instance_id": "dead", "model_patch": ""}]
    done = grade(dataset, asked, "--out", "out.jsonl")
    assert done.returncode == 2
    assert "predictions.jsonl: line 3: no task 'dead'" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (InfrastructureError("the disk is full"), Graded(None, "the disk is full")),
        (RuntimeError("a fault"), Graded(None, "RuntimeError: a fault")),
    ],
)
def test_a_job_returns_what_goes_wrong(
    dataset: str, tmp_path: Path, raised: Exception, expected: Graded,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def fail(*_: object, **__: object) -> Task:
        raise raised

    monkeypatch.setattr(jobs, "load", fail)
    assert jobs.grade_job(dataset, MUL, b"", "bubblewrap", "", tmp_path) == expected
    monkeypatch.undo()
    gone = jobs.grade_job(str(tmp_path / "gone"), MUL, b"", "bubblewrap", "", tmp_path)
    assert gone.usage and "no dataset here" in gone.error
