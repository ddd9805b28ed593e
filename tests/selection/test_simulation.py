"""A learner that improves: chosen batches stay in the band, even ones leave it."""

import dataclasses

import numpy as np
import pytest
from samples import task

from bench.selection.accuracy import accuracy
from bench.selection.training import Epoch, Setting, train
from bench.selection.world import World, world
from featuredel.selection.pool import COLUMNS, ScoredPool, pool_of

SETTING = Setting(epochs=36)  # later the learner has outgrown all but a few of a thousand tasks


def like() -> ScoredPool:
    """Return tasks with sizes as they are in real repositories."""
    lines = (6, 31, 37, 37, 40, 41, 55, 73, 109, 128, 177, 231, 305, 316, 341, 378)
    rows = [
        task(gold_lines=n, gold_files=1 + place % 5, branches=n // 6, f2p_count=3 + n // 10,
             gold_definitions=1 + n // 12, fan_in=place % 3, fan_out=n // 30,
             reward_strength=0.8 + 0.2 * (place % 2))
        for place, n in enumerate(lines)
    ]  # fmt: skip
    return pool_of(
        {name: np.array([getattr(row, name) for row in rows])
         for name in ("task_id", "repository", *COLUMNS)},
        np.ones((len(rows), 3), dtype=np.bool_),
    )  # fmt: skip


def made(seed: int) -> World:
    return world(like(), 1000, np.random.default_rng(seed))


def outside(epochs: list[Epoch]) -> int:
    band = SETTING.band
    return sum(not band.low <= epoch.solved <= band.high for epoch in epochs)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_band_is_kept_and_even_batches_leave_it(seed: int) -> None:
    where = made(seed)
    chosen = train(where, SETTING, seed, chosen=True)
    skills = [epoch.skill for epoch in chosen]
    even = train(where, SETTING, seed, chosen=False, skills=skills)
    assert outside(chosen) == 0
    assert np.mean([epoch.solved for epoch in even[-5:]]) > SETTING.band.high
    truly = [np.mean([epoch.in_band for epoch in epochs]) for epochs in (chosen, even)]
    assert truly[0] > truly[1] + 0.15


def test_a_learner_of_chosen_batches_comes_further() -> None:
    where = made(2)
    chosen, even = (train(where, SETTING, 2, chosen=how)[-1].skill for how in (True, False))
    assert chosen > even + 1


def test_a_half_life_is_what_follows_the_learner() -> None:
    where = made(3)
    never = dataclasses.replace(SETTING, half_life=None)
    stale = train(where, never, 3, chosen=True)
    assert outside(stale) > outside(train(where, SETTING, 3, chosen=True)) + 3


def test_posteriors_are_nearer_to_the_truth_than_the_score() -> None:
    found = accuracy(made(4), 200, 8, 0.5, 4)
    assert found.tried < found.shares < found.levelled < found.score
    assert found.untried < found.score
    assert 0.82 < found.tried_held < 0.97
    assert 0.82 < found.untried_held < 0.97


def test_tasks_are_like_those_they_are_drawn_from() -> None:
    drawn = made(5).pool.columns
    assert drawn.mean(axis=0) == pytest.approx(like().columns.mean(axis=0), abs=0.3)
