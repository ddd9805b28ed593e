"""For what has become too easy, something harder is named."""

import numpy as np
from selection.pools import pool

from featuredel.selection.choose import Band
from featuredel.selection.harder import Harder, outgrown, too_easy
from featuredel.selection.posterior import Posterior

BAND = Band(0.2, 0.8)
RATES = [[0.99, 0.9, 0.6], [0.5, 0.3, 0.4], [0.97, 0.98, 0.99], [0.1, 0.1, 0.1], [0.95, 0.5, 0.1]]


def belief(rates: list[list[float]], certainty: float = 200.0) -> Posterior:
    mean = np.array(rates)
    return Posterior(mean * certainty, (1 - mean) * certainty)


def test_too_easy_is_nine_in_ten() -> None:
    offered = np.ones((5, 3), dtype=np.bool_)
    easy = too_easy(belief(RATES), offered, BAND)
    assert easy.tolist() == [
        [True, True, False], [False] * 3, [True] * 3, [False] * 3, [True, False, False],
    ]  # fmt: skip
    unsure = Posterior(np.array([[4.0]]), np.array([[0.2]]))
    share = unsure.above(0.8)[0, 0]
    assert too_easy(unsure, np.ones((1, 1), dtype=np.bool_), BAND)[0, 0] == (share >= 0.9)
    assert not too_easy(belief(RATES), offered & False, BAND).any()


def test_terser_registers_and_parents_are_named_the_nearest_first() -> None:
    made, known = pool([1] * 5), belief(RATES)
    easy = too_easy(known, made.offered, BAND)
    parents = {"t0": ("t1", "t2", "t3", "gone"), "t2": ("t0",), "t4": ("t3",)}
    found = outgrown(made, known, made.offered, easy, BAND, parents)
    by_task = {(one.task_id, one.register): one.harder for one in found}
    assert by_task["t0", "full"] == (
        Harder("more deleted", "t1", "full", 0.5),
        Harder("less said", "t0", "terse", 0.6),
        Harder("more deleted", "t3", "full", 0.1),
    )  # neither t2, which is too easy itself, nor one that is no longer there
    assert by_task["t2", "full"] == ()
    assert by_task["t2", "terse"] == (Harder("more deleted", "t0", "terse", 0.6),)
    assert [one.expected for one in found] == sorted((o.expected for o in found), reverse=True)


def test_a_register_that_is_not_offered_is_not_named() -> None:
    offered = np.array([[True, False, True]])
    made, known = pool([1], offered=offered), belief([[0.99, 0.5, 0.6]])
    easy = too_easy(known, offered, BAND)
    (one,) = outgrown(made, known, offered, easy, BAND, {})
    assert one.harder == (Harder("less said", "t0", "terse", 0.6),)


def test_only_what_is_asked_for_is_told() -> None:
    made, known = pool([1]), belief([[0.99, 0.99, 0.5]])
    easy = too_easy(known, made.offered, BAND)
    allowed = np.array([[False, True, False]])
    (one,) = outgrown(made, known, allowed, easy, BAND, {})
    assert (one.register, one.harder[0].register) == ("interface", "terse")
