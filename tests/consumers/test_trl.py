"""TRL trains on the prompts as they are written, and its reward is the grader's."""

from pathlib import Path

import pytest
from consumers.running_examples import run_example, write_scene

pytestmark = [pytest.mark.consumer, pytest.mark.sandbox]


def test_an_answer_earns_its_reward_in_a_step_of_grpo(
    dataset: str, grading: dict[str, str], tmp_path: Path
) -> None:
    prompts, answers = write_scene(dataset, tmp_path)
    arguments: list[str | Path] = [prompts, "--answers", answers]
    *graded, last = run_example("trl_grpo.py", arguments, tmp_path, grading)
    by_task: dict[str, list[float]] = {}
    for one in graded:
        by_task.setdefault(one["task_id"], []).append(one["reward"])
    assert len(by_task) == len(answers.read_text().splitlines())
    # one completion is the answer that was given, the other is what the model wrote
    assert {tuple(sorted(earned)) for earned in by_task.values()} == {(0.0, 1.0)}
    assert last["steps"] == len(by_task)
    assert last["weights_moved_by"] > 0


def test_what_the_model_writes_by_itself_earns_nothing(
    dataset: str, grading: dict[str, str], tmp_path: Path
) -> None:
    prompts, _ = write_scene(dataset, tmp_path)
    *graded, last = run_example("trl_grpo.py", [prompts], tmp_path, grading)
    assert [one["reward"] for one in graded] == [0.0] * len(graded)
    assert len(graded) == 2 * last["steps"] > 0
