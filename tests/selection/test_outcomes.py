"""Files of outcomes are read as they are, and old outcomes count for less."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selection.pools import outcome, pool

from featuredel import tables
from featuredel.errors import UsageError
from featuredel.model import Attempt, CalibrationRow, Ended, Reward, SolveRate, TestId
from featuredel.selection.outcomes import Outcome, count, read_outcomes
from featuredel.tasks.predictions import Prediction
from featuredel.tasks.rewards import Graded, row_of

ONE = {"task_id": "a", "resolved": True}


def written(folder: Path, *rows: Mapping[str, Any], name: str = "o.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(f"{json.dumps(row)}\n\n" for row in rows))
    return file


def test_attempts_count_by_what_resolved_says(tmp_path: Path) -> None:
    rows = [
        {**ONE, "register": "terse", "reward": 1.0},
        {**ONE, "resolved": False, "reward": 0.9},
        {**ONE, "tampered": True},
        {**ONE, "resolved": None, "ended": "error", "error": "sandbox"},
        {**ONE, "error": "no such diff"},
    ]
    found, errors = read_outcomes([written(tmp_path, *rows)])
    assert found == [Outcome("a", 2, 1, 1), Outcome("a", 0, 1, 0), Outcome("a", 0, 1, 0)]
    assert errors == 2


def test_the_lines_of_a_graded_batch_are_attempts_in_full(tmp_path: Path) -> None:
    reward = Reward(1.0, True, 1.0, 1.0, {TestId("t"): "passed"}, ())
    lines = [
        row_of(Prediction("a", "m", "diff"), Graded(reward)),
        row_of(Prediction("b", "m", "diff"), Graded(None, "the machine failed")),
    ]
    found, errors = read_outcomes([written(tmp_path, *lines)])
    assert (found, errors) == ([Outcome("a", 0, 1, 1)], 1)


def test_counts_and_parquet_are_read_too(tmp_path: Path) -> None:
    row = CalibrationRow("r", "a", "interface", 5, 2, 1.0, 1.0, 0.5, 0.1, 0.9)
    tables.write_table(str(tmp_path / "o.parquet"), [row], CalibrationRow)
    assert read_outcomes([tmp_path / "o.parquet"]) == ([Outcome("a", 1, 5, 2)], 0)


def test_what_solve_writes_is_read(tmp_path: Path) -> None:
    def attempt(number: int, ended: Ended, resolved: bool | None) -> Attempt:
        rate = None if resolved is None else float(resolved)
        return Attempt(
            "a", "r", "interface", "m", number, ended, "lost" if ended == "error" else "", rate,
            resolved, None if resolved is None else False, rate, rate, 1, 0, 0, 0, 0, 0, 1.0,
        )  # fmt: skip

    attempts = [
        attempt(1, "submitted", True),
        attempt(2, "turns", False),
        attempt(3, "error", None),
    ]
    tables.write_table(str(tmp_path / "outcomes.parquet"), attempts, Attempt)
    rates = [SolveRate("a", "r", "interface", "m", 2, 1, 0, 0.5)]
    tables.write_table(str(tmp_path / "solve_rates.parquet"), rates, SolveRate)
    one, errors = read_outcomes([tmp_path / "outcomes.parquet"])
    other, _ = read_outcomes([tmp_path / "solve_rates.parquet"], "m")
    assert one == [Outcome("a", 1, 1, 1), Outcome("a", 1, 1, 0)]
    assert (other, errors) == ([Outcome("a", 1, 2, 1)], 1)


def test_a_file_given_twice_counts_once(tmp_path: Path) -> None:
    file = written(tmp_path, ONE)
    (tmp_path / "link.jsonl").symlink_to(file)
    again = written(tmp_path, ONE, name="other.jsonl")
    assert len(read_outcomes([file, file, tmp_path / "link.jsonl"])[0]) == 1
    assert len(read_outcomes([file, again])[0]) == 2


def test_one_model_of_several(tmp_path: Path) -> None:
    file = written(tmp_path, {**ONE, "model": "m"}, {**ONE, "model": "n"}, ONE)
    assert len(read_outcomes([file], "m")[0]) == 1


def test_rows_with_a_step_are_sorted_by_it(tmp_path: Path) -> None:
    rows = [
        {**ONE, "task_id": name, "step": step} for name, step in zip("abc", (2, 1, 2), strict=True)
    ]
    found, _ = read_outcomes([written(tmp_path, *rows)])
    assert [one.task_id for one in found] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ([1], "row 1: is no mapping"),
        ({"resolved": True}, "row 1: has no task_id"),
        ({**ONE, "register": "loud"}, "register is 'loud'; it is one of full, interface, terse"),
        ({"task_id": "a"}, "row 1: has no resolved"),
        ({"task_id": "a", "resolved": 1}, "row 1: has no resolved"),
        ({"task_id": "a", "attempts": 1, "solved": 2}, "no more solved than attempts"),
        ({"task_id": "a", "attempts": 1.5, "solved": 1}, "give whole numbers"),
        ({"task_id": "a", "attempts": 1 << 80, "solved": 1}, "more than 2147483647 attempts"),
        ({**ONE, "step": float("nan")}, "is no order"),
    ],
)
def test_what_is_no_outcome_is_named(tmp_path: Path, row: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_outcomes([written(tmp_path, row)])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "text.jsonl").write_text("{}\nno\n")
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff")
    (tmp_path / "no.parquet").write_bytes(b"PAR1 or not")
    for name, told in [
        ("text.jsonl", "has no task_id"), ("bytes.jsonl", "is not UTF-8"),
        ("none.jsonl", "No such file"), ("no.parquet", "damaged"), ("none.parquet", "No such file"),
    ]:  # fmt: skip
        with pytest.raises(UsageError, match=told):
            read_outcomes([tmp_path / name])
    (tmp_path / "text.jsonl").write_text("no\n")
    with pytest.raises(UsageError, match="line 1: is no JSON"):
        read_outcomes([tmp_path / "text.jsonl"])
    (tmp_path / "text.jsonl").write_text("[" * 200_000)
    with pytest.raises(UsageError, match="line 1: is no JSON"):
        read_outcomes([tmp_path / "text.jsonl"])


def test_of_a_model_or_not_a_row_is_a_mapping(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="row 1: is no mapping"):
        read_outcomes([written(tmp_path, [1])], "m")  # type: ignore[arg-type]


def test_a_long_id_of_a_stranger_takes_no_more_room_than_itself() -> None:
    strangers = [Outcome("x" * (1 << 24), 0, 1, 1), *[outcome(0, 1, 0)] * 2000]
    assert count(pool([0]), strangers).strangers == 1


def test_steps_of_some_rows_only_are_no_order(tmp_path: Path) -> None:
    for rows in ([{**ONE, "step": 1}, ONE], [{**ONE, "step": 1}, {**ONE, "step": "2"}]):
        with pytest.raises(UsageError, match="step or time orders rows"):
            read_outcomes([written(tmp_path, *rows)])


def test_counts_are_by_task_and_register() -> None:
    counts = count(pool([1, 1]), [outcome(1, 3, 1), outcome(1, 2, 2), outcome(0, 4, 0, register=2)])
    assert counts.attempts.tolist() == [[0, 0, 4], [5, 0, 0]]
    assert counts.solved.tolist() == [[0, 0, 0], [3, 0, 0]]
    assert counts.tried.tolist() == counts.attempts.tolist()


def test_what_the_pool_does_not_offer_is_counted_apart() -> None:
    offered = np.array([[True, False, True]])
    counts = count(pool([1], offered=offered), [outcome(0, 3, 1, register=1), outcome(7, 2, 2)])
    assert counts.strangers == 5
    assert not counts.attempts.any()


def test_an_outcome_counts_for_half_after_a_half_life() -> None:
    made = pool([1, 1])
    counts = count(made, [outcome(0, 1, 1), outcome(1, 10, 0), outcome(0, 10, 0)], half_life=10)
    assert counts.won.tolist()[0][0] == 0.25  # after twenty later attempts, at whatever task
    assert counts.tried.tolist() == [[10.25, 0, 0], [5, 0, 0]]
    assert counts.attempts.tolist() == [[11, 0, 0], [10, 0, 0]]
