"""The reward as trainers ask for it: that of the real grader, and no 0 for a machine's trouble."""

import logging
import threading
from pathlib import Path
from typing import Any

import pytest
from toy_dataset import MUL, NEG, have_environment, write_two_tasks

import featuredel
from featuredel import tables, trainers
from featuredel.errors import SandboxError, UsageError
from featuredel.trainers import Completion, compute_score, grader

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("toys")
    dataset = write_two_tasks(folder)
    return {"dataset": dataset, "work": str(have_environment(folder / "work"))}


@pytest.fixture(scope="module")
def answers(place: dict[str, str]) -> dict[str, str]:
    return {
        task.task_id: f"So:\n```diff\n{task.gold_patch.decode()}```\n"
        for task in tables.read_tasks(place["dataset"])
    }


def score(completion: str, task: str, place: dict[str, str], **more: Any) -> float:
    return compute_score("featuredel/calc", completion, task, {}, **place, **more)


def test_a_completion_that_holds_a_patch_earns_its_reward(
    place: dict[str, str], answers: dict[str, str]
) -> None:
    assert score(answers[MUL], MUL, place) == 1.0
    assert score(answers[MUL], NEG, place) == 0.0
    half = answers[MUL].replace("return a * b", "return 6")  # of two tests
    assert score(half, MUL, place) == 0.5


def test_what_holds_no_patch_is_not_graded(
    place: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(featuredel.Task, "grade", never)
    assert score("I do not know.", MUL, place) == 0.0
    assert score("", MUL, place) == 0.0


def test_a_diff_that_does_not_apply_earns_nothing(place: dict[str, str]) -> None:
    assert score("```diff\nnonsense\n```", MUL, place) == 0.0


def test_what_else_a_trainer_gives_is_not_looked_at(
    place: dict[str, str], answers: dict[str, str]
) -> None:
    assert score(answers[MUL], MUL, place, reward_router_address="x", num_turns=3) == 1.0


def test_a_batch_in_its_order_in_either_form_of_completion(
    place: dict[str, str], answers: dict[str, str]
) -> None:
    tasks = [MUL, NEG, MUL, NEG, MUL, NEG]
    completions: list[Completion] = [
        answers[MUL],
        [{"role": "assistant", "content": answers[NEG]}],
        [{"role": "assistant", "content": answers[MUL]}, {"role": "assistant", "content": None}],
        "no",
        [{"content": [{"type": "image"}, {"type": "text", "text": answers[MUL]}, None]}],
        [],
    ]
    earned = grader(
        prompts=["?"] * 6, completions=completions, extra_info=[{}] * 6,
        reward_model=[{"style": "rule", "ground_truth": task} for task in tasks],
        completion_ids=[[1]] * 6, trainer_state=object(), workers=2, **place,
    )  # fmt: skip
    assert earned == [1.0, 1.0, 0.0, 0.0, 1.0, 0.0]


def batch(count: int, extra_info: dict[str, str], **more: Any) -> list[float | None]:
    diff = "```diff\nnonsense\n```"
    model = {"style": "rule", "ground_truth": MUL}
    return grader([""] * count, [diff] * count, [extra_info] * count, [model] * count, **more)


def test_a_batch_is_graded_at_once(place: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = threading.Barrier(3)

    def grade(*_: object) -> featuredel.Reward:
        meeting.wait(60)  # broken unless all are there
        return featuredel.Reward(0.25, False, 0.25, 1.0, {}, ())

    monkeypatch.setattr(featuredel.Task, "grade", grade)
    assert batch(3, {}, workers=3, **place) == [0.25] * 3


def test_trouble_with_a_machine_gives_no_reward(
    place: dict[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise SandboxError("no space")

    monkeypatch.setattr(featuredel.Task, "grade", broken)
    with pytest.raises(SandboxError):
        score("```diff\nx\n```", MUL, place)
    with caplog.at_level(logging.WARNING):
        assert batch(2, {}, **place) == [None, None]
    assert "no space" in caplog.text


def test_the_dataset_is_where_the_call_the_variable_or_the_row_says(
    place: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = place["work"]
    nowhere = str(tmp_path / "nowhere")
    assert batch(1, {"dataset": place["dataset"]}, work=work) == [0.0]
    assert batch(1, {"dataset": nowhere}, **place) == [0.0]
    monkeypatch.setenv(trainers.DATASET_VARIABLE, f"file://{place['dataset']}")
    assert batch(1, {"dataset": nowhere}, work=work) == [0.0]
    monkeypatch.setenv(trainers.DATASET_VARIABLE, nowhere)
    assert batch(1, {}, **place) == [0.0]
    with pytest.raises(UsageError, match="no dataset here"):
        batch(1, {"dataset": place["dataset"]}, work=work)


def test_what_the_user_can_mend_is_told(place: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="where is the dataset"):
        compute_score("x", "", MUL, None)
    with pytest.raises(UsageError, match="no task 'dead'"):
        score("", "dead", place)
    with pytest.raises(UsageError, match="no task 'dead'"):
        grader([""], [""], [{}], [{"ground_truth": "dead"}], dataset=place["dataset"])
