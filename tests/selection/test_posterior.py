"""What is believed of solve rates: the score without outcomes, the counts with many."""

import dataclasses
import itertools

import numpy as np
import pytest
from scipy import stats
from selection.pools import outcome, pool

from featuredel.selection.outcomes import Outcome, count
from featuredel.selection.pool import ScoredPool
from featuredel.selection.posterior import START_CERTAINTY, Fit, Posterior, fit, posterior

SIZES = (1, 3, 7, 15, 31, 63, 127, 255)


def believed(made: ScoredPool, *outcomes: Outcome) -> tuple[Posterior, Fit]:
    counts = count(made, outcomes)
    fitted = fit(made, counts)
    return posterior(made, counts, fitted), fitted


def test_without_outcomes_the_score_is_what_remains() -> None:
    made = pool(SIZES)
    belief, fitted = believed(made)
    assert set(fitted.corrections.values()) == {0.0}
    assert fitted.certainty == START_CERTAINTY
    assert np.allclose(belief.mean, 1 / (1 + np.exp(-made.prior)))
    assert np.allclose(belief.alpha + belief.beta, START_CERTAINTY)


def test_few_outcomes_move_a_task_and_many_decide() -> None:
    made = pool(SIZES)
    means = [believed(made, outcome(7, n, n))[0].mean[7, 0] for n in (0, 1, 4, 1000)]
    assert means == sorted(means)
    assert means[0] < 0.5 < means[1] < 0.7
    assert means[3] > 0.99


def test_the_fit_is_where_a_search_finds_the_peak() -> None:
    """Level and certainty of tasks alike, by scipy's own beta-binomial on a grid."""
    made = pool([7] * 12)
    solved = (8, 8, 7, 5, 8, 2, 8, 6, 8, 4, 8, 8)
    outcomes = [outcome(task, 8, won) for task, won in enumerate(solved)]
    fitted = believed(made, *outcomes)[1]

    def density(level: float, k: float) -> float:
        rate = 1 / (1 + np.exp(-made.prior[0, 0] - level))
        priors = stats.norm.logpdf(level, scale=1.0) + stats.norm.logpdf(np.log(k / 4))
        return float(stats.betabinom.logpmf(solved, 8, rate * k, (1 - rate) * k).sum() + priors)

    grid = itertools.product(np.arange(-2, 4, 0.02), np.exp(np.arange(-1, 3, 0.02)))
    level, k = max(grid, key=lambda point: density(*point))
    assert fitted.corrections["level"] == pytest.approx(level, abs=0.02)
    assert np.log(fitted.certainty) == pytest.approx(np.log(k), abs=0.02)


def test_a_column_that_decides_is_found_and_helps_tasks_that_nobody_tried() -> None:
    made = pool([*SIZES * 4, 1, 255])
    outcomes = [outcome(task, 8, 8 if SIZES[task % 8] < 16 else 0) for task in range(32)]
    belief, fitted = believed(made, *outcomes)
    assert fitted.corrections["gold_lines"] < -0.2  # per doubling: a solve is less likely
    assert abs(fitted.corrections["fan_in"]) < 0.01
    assert belief.mean[32, 0] > 0.9
    assert belief.mean[33, 0] < 0.1


def test_a_register_has_a_shift_of_its_own() -> None:
    made = pool([15] * 20)
    outcomes = [outcome(task, 8, 6 if register == 0 else 1, register)
                for task in range(10) for register in (0, 1)]  # fmt: skip
    belief, fitted = believed(made, *outcomes)
    assert fitted.corrections["interface"] < -0.5
    assert belief.mean[15, 1] < belief.mean[15, 0] - 0.3
    assert fitted.corrections["terse"] == pytest.approx(0.0, abs=1e-3)


def test_tasks_that_differ_make_the_regression_worth_less() -> None:
    made = pool([15] * 40)
    alike = believed(made, *(outcome(task, 8, 4) for task in range(40)))[1]
    apart = believed(made, *(outcome(task, 8, 8 * (task % 2)) for task in range(40)))[1]
    assert apart.certainty < 1 < 10 < alike.certainty


def test_old_outcomes_follow_a_learner_that_improves() -> None:
    made = pool([15] * 40)
    outcomes = [outcome(task, 8, 1) for task in range(20)]
    outcomes += [outcome(task, 8, 7) for task in range(20, 40)]
    stale = count(made, outcomes)
    fresh = count(made, outcomes, half_life=40)
    means = [posterior(made, c, fit(made, c)).mean[5, 0] for c in (stale, fresh)]
    assert means[0] < 0.3
    assert means[1] > 0.6


def test_the_distributions_say_how_sure_they_are() -> None:
    alpha, beta = np.array([[1.0], [40.0]]), np.array([[1.0], [40.0]])
    belief = Posterior(alpha, beta)
    low, high = belief.interval()
    assert (low[0, 0], high[0, 0]) == (pytest.approx(0.05), pytest.approx(0.95))
    assert low[1, 0] > 0.4
    assert belief.deviation[0, 0] == pytest.approx(np.sqrt(1 / 12))
    assert belief.above(0.8)[0, 0] == pytest.approx(0.2)


def test_no_rate_is_certain() -> None:
    made = pool([1])
    far = dataclasses.replace(made, prior=np.full((1, 3), 50.0))
    belief = believed(far)[0]
    assert (belief.beta > 0).all()
