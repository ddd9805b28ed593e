"""A file of rewards: appended line by line, gone on with, and never taken from somebody else."""

import json
import os
import resource
from pathlib import Path

import pytest

from featuredel.errors import InfrastructureError, UsageError
from featuredel.model import Reward, TestId
from featuredel.tasks.predictions import Prediction
from featuredel.tasks.rewards import Graded, open_rewards, row_of, summary

ONE, TWO, THREE = (Prediction(name, "m", f"{name}\n") for name in "abc")
EARNED = Graded(Reward(0.5, False, 0.5, 1.0, {TestId("t"): "passed"}, ("x",)))
FAILED = Graded(None, "the disk is full")


def add(path: Path, *rows: tuple[Prediction, Graded]) -> list[bool]:
    """Add rows in one go; return which of the three predictions were there before."""
    with open_rewards(path) as rewards:
        there = [rewards.has(prediction) for prediction in (ONE, TWO, THREE)]
        for row in rows:
            rewards.add(row_of(*row))
    return there


def test_a_line_for_each(tmp_path: Path) -> None:
    add(tmp_path / "out", (ONE, EARNED), (TWO, FAILED))
    first, second = map(json.loads, (tmp_path / "out").read_text().splitlines())
    assert first == {
        "instance_id": "a", "model": "m", "reward": 0.5, "resolved": False, "f2p_rate": 0.5,
        "p2p_rate": 1.0, "outcomes": {"t": "passed"}, "dropped": ["x"], "reason": "",
        "error": None, "patch_sha256": ONE.patch_sha256,
    }  # fmt: skip
    assert second["error"] == "the disk is full" and second["reward"] is None
    assert first.keys() == second.keys()


def test_what_is_there_is_kept_and_errors_are_tried_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    add(out, (ONE, EARNED), (TWO, FAILED))
    assert add(out, (TWO, EARNED)) == [True, False, False]
    assert add(out, (THREE, EARNED)) == [True, True, False]
    assert [json.loads(line)["instance_id"] for line in out.read_text().splitlines()] == list("abc")
    assert list(tmp_path.iterdir()) == [out]


def test_half_a_line_is_taken_out_wherever_it_ends(tmp_path: Path) -> None:
    out = tmp_path / "out"
    add(out, (ONE, EARNED), (TWO, EARNED))
    first, second = out.read_bytes().splitlines(keepends=True)
    for length in range(1, len(second)):
        out.write_bytes(first + second[:length])
        assert add(out) == [True, False, False]
        assert out.read_bytes() == first


@pytest.mark.parametrize(
    "content",
    [b"notes\n", b"notes", b"1\n", json.dumps({"instance_id": "a", "model_patch": ""}).encode()],
)
def test_the_file_of_somebody_else_is_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "out").write_bytes(content)
    with pytest.raises(UsageError, match="name another file"):
        add(tmp_path / "out", (ONE, EARNED))
    assert (tmp_path / "out").read_bytes() == content


def test_the_reward_of_another_patch_is_not_taken(tmp_path: Path) -> None:
    add(tmp_path / "out", (Prediction("a", "m", "other"), EARNED))
    with pytest.raises(UsageError, match="holds the reward of another patch of a by 'm'"):
        add(tmp_path / "out")


def test_one_batch_at_a_time(tmp_path: Path) -> None:
    out = tmp_path / "out"
    add(out, (ONE, FAILED))  # so that the file is replaced
    with open_rewards(out), pytest.raises(UsageError, match="another batch is writing it"):
        add(out)
    assert add(out) == [False, False, False]


def test_a_disk_without_room_leaves_no_half_line(tmp_path: Path) -> None:
    out = tmp_path / "out"
    add(out, (ONE, EARNED))
    size = out.stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, before[1]))
    try:
        with pytest.raises(InfrastructureError, match="found no room"):
            add(out, (TWO, EARNED))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert out.stat().st_size == size


@pytest.mark.parametrize("name", ["folder", "missing/out", "null"])
def test_what_can_be_no_file_of_rewards(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "null").symlink_to(os.devnull)
    with pytest.raises(UsageError, match="--out "):
        add(tmp_path / name)


def test_without_a_file_rewards_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with open_rewards(None) as rewards:
        rewards.add(row_of(ONE, EARNED))
        assert not rewards.has(ONE)
    assert json.loads(capsys.readouterr().out)["reward"] == 0.5


def test_the_summary_counts_by_model() -> None:
    solved = Graded(Reward(1.0, True, 1.0, 1.0, {}, ()))
    other = Prediction("a", "", "")
    rows = {
        (prediction.instance_id, prediction.model): row_of(prediction, graded)
        for prediction, graded in ((ONE, EARNED), (TWO, solved), (other, FAILED))
    }
    assert summary((ONE, TWO, THREE, other), rows) == [
        "m: 1 of 3 resolved, mean reward 0.750, 1 not graded",
        "no model: 0 of 1 resolved, mean reward 0.000, 1 not graded",
    ]
