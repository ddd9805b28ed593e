"""VeRL reads the prompts as they are written, and its reward manager calls the grader."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from consumers.running_examples import run_example, write_scene

pytestmark = [pytest.mark.consumer, pytest.mark.sandbox]

CONTEXT_CHARS = 60_000


def test_the_reward_manager_gives_what_the_grader_gives(
    dataset: str,
    grading: dict[str, str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    prompts, tasks = write_scene(dataset, tmp_path, CONTEXT_CHARS)
    graded = run_example(
        "verl_reward.py", [str(prompts), "--answers", "answers.jsonl"], tmp_path, grading
    )
    record_property("gold", json.dumps([[tasks[one["task_id"]], one["reward"]] for one in graded]))
    assert {one["task_id"]: one["reward"] for one in graded} == dict.fromkeys(tasks, 1.0)
    assert tasks


def test_words_earn_nothing(
    dataset: str,
    grading: dict[str, str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    prompts, tasks = write_scene(dataset, tmp_path, CONTEXT_CHARS)
    (tmp_path / "answers.jsonl").write_text("")
    graded = run_example(
        "verl_reward.py", [str(prompts), "--answers", "answers.jsonl"], tmp_path, grading
    )
    record_property("no-op", json.dumps([[tasks[one["task_id"]], one["reward"]] for one in graded]))
    assert {one["task_id"]: one["reward"] for one in graded} == dict.fromkeys(tasks, 0.0)
