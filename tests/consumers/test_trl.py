"""TRL trains on the prompts as they are written, and its reward is the grader's."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from consumers.running_examples import run_example, write_scene

pytestmark = [pytest.mark.consumer, pytest.mark.sandbox]

CONTEXT_CHARS = 32_000  # takes in a task of each project of repos.yaml, and the model reads it soon


@pytest.mark.parametrize("shell", [False, True])
def test_an_answer_earns_its_reward_in_a_step_of_grpo(
    dataset: str,
    grading: dict[str, str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    shell: bool,
) -> None:
    prompts, tasks = write_scene(
        dataset, tmp_path, CONTEXT_CHARS, one_a_repository=True, shell=shell
    )
    arguments = [str(prompts), "--answers", "answers.jsonl"]
    *graded, last = run_example("trl_grpo.py", arguments, tmp_path, grading)
    # one completion of each is the answer that was given, the other is what the model wrote
    earned = sorted((one["task_id"], one["reward"]) for one in graded)
    record_property("gold", json.dumps([[tasks[t], one] for t, one in earned[1::2]]))
    record_property("no-op", json.dumps([[tasks[t], one] for t, one in earned[::2]]))
    assert earned == [(task, reward) for task in sorted(tasks) for reward in (0.0, 1.0)]
    assert last["steps"] == len(tasks) > 0
    assert last["weights_moved_by"] > 0


def test_what_the_model_writes_by_itself_earns_nothing(
    dataset: str, grading: dict[str, str], tmp_path: Path
) -> None:
    prompts, tasks = write_scene(dataset, tmp_path, CONTEXT_CHARS, one_a_repository=True)
    *graded, last = run_example("trl_grpo.py", [str(prompts)], tmp_path, grading)
    assert [one["reward"] for one in graded] == [0.0] * 2 * len(tasks)
    assert last["steps"] == len(tasks) > 0
