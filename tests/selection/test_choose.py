"""A batch is near the band, spread, and now and then curious."""

from collections import Counter

import numpy as np
import pytest
from selection.pools import pool

from featuredel.selection.choose import Band, Pick, choose
from featuredel.selection.pool import REGISTERS, Pool
from featuredel.selection.posterior import Posterior

BAND = Band(0.2, 0.8)
SURE = 1000.0


def belief(rates: list[list[float]], certainty: float = SURE) -> Posterior:
    mean = np.array(rates)
    return Posterior(mean * certainty, (1 - mean) * certainty)


def chosen(
    made: Pool, rates: list[list[float]], n: int, seed: int = 0, **more: float
) -> list[Pick]:
    more = {"explore": 0.0, **more}
    return list(choose(made, belief(rates), made.offered, BAND, n, seed, **more))


def test_what_is_surely_in_the_band_is_taken_in_its_register() -> None:
    rates = [[0.99, 0.98, 0.97], [0.95, 0.5, 0.01], [0.01, 0.02, 0.03]] * 10
    picks = chosen(pool([1] * 30), rates, 10)
    assert {int(pick.task_id[1:]) % 3 for pick in picks} == {1}
    assert {(pick.register, pick.why) for pick in picks} == {("interface", "in band")}
    assert {pick.expected for pick in picks} == {0.5}
    assert all(pick.low < 0.5 < pick.high for pick in picks)


def test_then_come_the_nearest() -> None:
    rates = [[0.99] * 3, [0.9] * 3, [0.5] * 3, [0.01] * 3]
    picks = chosen(pool([1] * 4), rates, 3)
    assert [(pick.task_id, pick.why) for pick in picks] == [
        ("t2", "in band"), ("t1", "nearest"), ("t3", "nearest"),
    ]  # fmt: skip  # 0.9 is 0.1 above, 0.01 is 0.19 below, 0.99 as far above


def test_a_task_is_given_once_and_no_more_than_there_are() -> None:
    picks = chosen(pool([1] * 5), [[0.5] * 3] * 5, 9, explore=0.5)
    assert sorted(pick.task_id for pick in picks) == ["t0", "t1", "t2", "t3", "t4"]


def test_a_share_goes_to_what_is_least_known() -> None:
    made = pool([1] * 40)
    mean = np.full((40, 3), 0.5)
    certainty = np.where(np.arange(40) < 4, 1.0, SURE)[:, None]
    known = Posterior(mean * certainty, (1 - mean) * certainty)
    picks = choose(made, known, made.offered, BAND, 10, 0, explore=0.4)
    explored = {pick.task_id for pick in picks if pick.why == "explored"}
    assert explored == {"t0", "t1", "t2", "t3"}
    assert len(picks) == len({pick.task_id for pick in picks}) == 10


def test_repositories_take_turns() -> None:
    made = pool([1] * 60, ["large"] * 50 + ["small"] * 6 + ["tiny"] * 4)
    for explore in (0.0, 1.0):
        picks = chosen(made, [[0.5] * 3] * 60, 15, explore=explore)
        owners = Counter(pick.repository for pick in picks)
        assert owners == {"large": 6, "small": 5, "tiny": 4} or owners == {
            "large": 5, "small": 6, "tiny": 4,
        }  # fmt: skip


def test_only_what_is_allowed() -> None:
    made = pool([1] * 6)
    allowed = np.zeros((6, 3), dtype=np.bool_)
    allowed[:3, 2] = True
    picks = choose(made, belief([[0.5] * 3] * 6), allowed, BAND, 6, 0, explore=0.5)
    assert {pick.task_id for pick in picks} == {"t0", "t1", "t2"}
    assert {pick.register for pick in picks} == {REGISTERS[2]}
    assert choose(made, belief([[0.5] * 3] * 6), allowed & False, BAND, 6, 0) == ()


def test_the_seed_decides() -> None:
    made, rates = pool([1] * 50), [[0.5] * 3] * 50
    assert chosen(made, rates, 8, seed=1) == chosen(made, rates, 8, seed=1)
    assert chosen(made, rates, 8, seed=1) != chosen(made, rates, 8, seed=2)


@pytest.mark.parametrize(("mean", "least", "most"), [(0.5, 900, 1000), (0.85, 250, 600)])
def test_a_task_is_taken_as_often_as_it_is_likely_in_the_band(
    mean: float, least: int, most: int
) -> None:
    made = pool([1, 1], offered=np.array([[True, False, False]] * 2))
    wide = belief([[mean] * 3, [0.99999] * 3], 8.0)
    times = sum(
        any(pick.task_id == "t0" and pick.why == "in band"
            for pick in choose(made, wide, made.offered, BAND, 1, seed, explore=0.0))
        for seed in range(1000)
    )  # fmt: skip
    assert least < times <= most
