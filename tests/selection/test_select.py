"""What is believed comes from outcomes, a calibration or the score, and select says which."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selection.datasets import LARGE, OTHER, PLAIN, SMALL, tasks, write_tasks

from featuredel import tables
from featuredel.errors import UsageError
from featuredel.model import CalibrationRow, Register
from featuredel.selection.calibrate import calibrate
from featuredel.selection.choose import Band
from featuredel.selection.outcomes import Outcome
from featuredel.selection.select import Selection, select
from featuredel.stages.write import Content, write

BAND = Band(0.2, 0.8)
OUTCOMES = [Outcome(SMALL, 0, 90, 90), Outcome(LARGE, 0, 90, 40), Outcome(OTHER, 0, 90, 0)]


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    return write_tasks(tmp_path)


def expected(selection: Selection) -> dict[tuple[str, Register], float]:
    return {(pick.task_id, pick.register): pick.expected for pick in selection.picks}


def test_without_any_outcome_the_score_guesses_and_that_is_told(dataset: str) -> None:
    selection = select(dataset, BAND, 4, 0, register="full")
    assert len(selection.notes) == 1 and "the score's guess" in selection.notes[0]
    for task in tasks():
        told = expected(selection)[task.task_id, "full"]
        assert told == pytest.approx(1 - task.difficulty.full, abs=1e-4)


def test_outcomes_and_a_calibration_from_them_say_the_same(dataset: str) -> None:
    given = select(dataset, BAND, 2, 3, outcomes=OUTCOMES)
    calibrate(dataset, OUTCOMES)
    written = select(dataset, BAND, 2, 3)
    assert written.picks == given.picks
    assert written.too_easy == given.too_easy
    assert written.notes == given.notes == ()
    rates = expected(select(dataset, BAND, 4, 0, register="full"))
    assert rates[LARGE, "full"] == pytest.approx(40 / 90, abs=0.03)


@pytest.mark.parametrize(
    "wrong", [{"register": "loud"}, {"alpha": float("nan")}, {"beta": 0.0}, {"alpha": -1.0}]
)
def test_a_damaged_calibration_is_told(dataset: str, wrong: dict[str, Any]) -> None:
    calibrate(dataset, OUTCOMES)
    first, *rest = tables.read_rows(dataset, "calibration", CalibrationRow)
    rows = [replace(first, **wrong), *rest]
    tables.write_shards(dataset, "calibration", "train", rows, CalibrationRow)
    with pytest.raises(UsageError, match="calibration/ is damaged; `featuredel calibrate`"):
        select(dataset, BAND, 2, 0)
    calibrate(dataset, OUTCOMES)
    assert len(select(dataset, BAND, 2, 0).picks) == 2


def test_outcomes_given_come_before_a_calibration(dataset: str) -> None:
    calibrate(dataset, [Outcome(LARGE, 0, 90, 90)])
    selection = select(dataset, BAND, 4, 0, outcomes=OUTCOMES, register="full")
    assert expected(selection)[LARGE, "full"] == pytest.approx(40 / 90, abs=0.03)


def test_tasks_that_came_after_the_calibration_are_told(dataset: str) -> None:
    calibrate(dataset, OUTCOMES)
    write(dataset, Content(tuple(task for task in tasks() if task.repository == "r")))
    selection = select(dataset, BAND, 4, 0, register="full")
    assert selection.notes == ("not calibrated are 2 of 4 tasks: what is expected of them is the"
                               " score's guess",)  # fmt: skip
    assert expected(selection)[OTHER, "full"] < 0.1
    assert expected(selection)[LARGE, "full"] == pytest.approx(1 - 0.4398, abs=1e-3)


def test_a_task_that_became_too_easy_has_its_parent_named(dataset: str) -> None:
    selection = select(dataset, BAND, 1, 0, outcomes=OUTCOMES, register="full")
    (easy,) = [one for one in selection.too_easy if one.task_id == SMALL]
    assert ("more deleted", LARGE, "full") in [
        (one.how, one.task_id, one.register) for one in easy.harder
    ]


def test_more_than_there_is(dataset: str) -> None:
    selection = select(dataset, BAND, 9, 0, outcomes=OUTCOMES, register="interface")
    assert {pick.task_id for pick in selection.picks} == {SMALL, LARGE, OTHER}
    assert selection.notes == (
        "9 are wished, and there are 3 tasks in the register interface: all are given",
    )


def test_outcomes_of_others_are_told(dataset: str) -> None:
    strangers = Outcome(PLAIN, 1, 5, 0)  # it has no statement in that register
    selection = select(dataset, BAND, 1, 0, outcomes=[*OUTCOMES, strangers])
    assert selection.notes == ("5 outcomes are of tasks or registers that the dataset has not",)
    with pytest.raises(UsageError, match="none of the 5 outcomes"):
        select(dataset, BAND, 1, 0, outcomes=[strangers])


def test_a_batch_can_be_drawn_again(dataset: str) -> None:
    draws = [select(dataset, BAND, 2, seed, explore=0.0).picks for seed in (7, 7, *range(20))]
    assert draws[0] == draws[1]
    assert len(set(draws)) > 1


def test_tasks_in_many_row_groups(tmp_path: Path) -> None:
    """Statements that only some rows of a group have are found, and none is invented."""
    from samples import task

    there = np.arange(100) % 3 != 0
    rows = [
        task(task_id=f"{n:016x}", statement_interface="x" if there[n] else None,
             statement_terse="x" if n < 48 else None)
        for n in range(100)
    ]  # fmt: skip
    write(str(tmp_path), Content(tuple(rows)))
    for register, number in (("full", 100), ("interface", int(there.sum())), ("terse", 48)):
        picks = select(str(tmp_path), BAND, 200, 0, register=register).picks  # type: ignore[arg-type]
        assert len(picks) == number
