"""The arrays say what the rows say."""

from pathlib import Path

import numpy as np
import pytest
from samples import task

from featuredel.errors import UsageError
from featuredel.model import Scores
from featuredel.selection.pool import read_pool
from featuredel.stages.score import tier_of
from featuredel.stages.write import Content, write

SPLITS = ("validation", "train", "train")


def test_a_pool_is_the_tasks_in_the_order_of_their_files(tmp_path: Path) -> None:
    rows = [
        task(task_id=f"{number:016x}", split=split, repository=f"r{number}",
             statement_interface=None if number else "x", statement_terse="y" if number else None)
        for number, split in enumerate(SPLITS)
    ]  # fmt: skip
    write(str(tmp_path), Content(tuple(rows)))
    pool = read_pool(str(tmp_path))
    assert pool.repositories.tolist() == ["r1", "r2", "r0"]
    assert pool.offered.tolist() == [[True, False, True], [True, False, True], [True, True, False]]
    assert pool.places([rows[0].task_id, "nowhere", rows[1].task_id]).tolist() == [2, -1, 0]
    assert pool.places([]).tolist() == []


def test_the_prior_is_what_the_score_wrote(tmp_path: Path) -> None:
    # the columns and the scores of a task of a real project
    scores = Scores(full=0.4237, interface=0.5231, terse=0.4732)
    row = task(
        gold_lines=37, gold_files=1, gold_definitions=2, branches=5, fan_in=1, fan_out=1,
        f2p_count=6, reward_strength=1.0, difficulty=scores, tier=tier_of(scores.full),
    )  # fmt: skip
    write(str(tmp_path), Content((row,)))
    prior = read_pool(str(tmp_path)).prior
    found = 1 / (1 + np.exp(prior[0]))
    assert found.round(4).tolist() == [scores.full, scores.interface, scores.terse]


def test_there_must_be_tasks(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no dataset here"):
        read_pool(str(tmp_path))
