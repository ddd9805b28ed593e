"""VeRL reads the prompts as they are written, and its reward manager calls the grader."""

from pathlib import Path

import pytest
from consumers.running_examples import run_example, write_scene

pytestmark = [pytest.mark.consumer, pytest.mark.sandbox]


def test_the_reward_manager_gives_what_the_grader_gives(
    dataset: str, grading: dict[str, str], tmp_path: Path
) -> None:
    prompts, answers = write_scene(dataset, tmp_path)
    lines = answers.read_text().splitlines(keepends=True)
    answers.write_text("".join(lines[1:]))  # the first prompt is answered with words
    arguments: list[str | Path] = [prompts, "--answers", answers]
    graded = run_example("verl_reward.py", arguments, tmp_path, grading)
    assert [one["reward"] for one in graded] == [0.0] + [1.0] * (len(lines) - 1)
    assert len(lines) > 1
