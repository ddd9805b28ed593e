"""VeRL reads the prompts as they are written, and its reward manager calls the grader."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from consumers.running_examples import run_example, write_scene

pytestmark = [pytest.mark.consumer, pytest.mark.sandbox]

CONTEXT_CHARS = 60_000


@pytest.mark.parametrize("answer, reward", [("gold", 1.0), ("no-op", 0.0)])
def test_the_reward_manager_gives_what_the_grader_gives(
    dataset: str,
    grading: dict[str, str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    answer: str,
    reward: float,
) -> None:
    prompts, tasks = write_scene(dataset, tmp_path, CONTEXT_CHARS)
    if answer == "no-op":
        (tmp_path / "answers.jsonl").write_text("")  # the example answers with words then
    arguments = [str(prompts), "--answers", "answers.jsonl"]
    graded = run_example("verl_reward.py", arguments, tmp_path, grading)
    record_property(answer, json.dumps([[tasks[one["task_id"]], one["reward"]] for one in graded]))
    assert {one["task_id"]: one["reward"] for one in graded} == dict.fromkeys(tasks, reward)
    assert tasks
