"""From outcomes to what is believed of each solve rate: a Beta distribution by task and register.

The counts of a task are taken as beta-binomial: its solve rate is drawn from Beta(m k, (1 - m) k),
where m is what a logistic regression on the score's columns expects of it, and k, the certainty,
is how many attempts that expectation is worth (Skellam 1948, J. R. Stat. Soc. B 10:257; as a
regression Williams 1982, Appl. Statist. 31:144). So tasks that nobody tried profit from others, and
the own counts of a task outweigh the regression as they grow.

The regression starts from the score: what is fitted are corrections to the score's log odds, held
to zero by normal priors. Without outcomes the score is what remains.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from featuredel.selection.outcomes import Counts
from featuredel.selection.pool import COLUMNS, REGISTERS, Floats, ScoredPool

START_CERTAINTY = 4.0
"""Attempts that the score is worth before any outcome: it is a guess, which a few outweigh."""

_TERMS = ("level", *COLUMNS, *REGISTERS[1:])
_SPREAD = np.array([1.0, *[0.2] * (len(COLUMNS) - 1), 0.8, *[0.5] * (len(REGISTERS) - 1)])
"""Standard deviation of each correction, in log odds: of the level, that of solvers; of a
doubling of a column, as the score's weights are 0.1 to 0.55; of tests that catch all mutants
against none; of a register."""
_LOG_CERTAINTY_SPREAD = 1.0
_EDGE = 1e-4  # of what is expected: no task is ever certain
_INTERVAL = (0.05, 0.95)


@dataclass(frozen=True, slots=True)
class Fit:
    """Corrections to the score's log odds of a solve, by term, and the certainty k."""

    corrections: Mapping[str, float]
    certainty: float


@dataclass(frozen=True, slots=True)
class Posterior:
    """Beta distributions of solve rates, by task and register."""

    alpha: Floats
    beta: Floats

    @property
    def mean(self) -> Floats:
        """The solve rate that is expected."""
        rate: Floats = self.alpha / (self.alpha + self.beta)
        return rate

    @property
    def deviation(self) -> Floats:
        """How far from it, as a standard deviation, the rate may be."""
        spread: Floats = np.sqrt(self.mean * (1 - self.mean) / (self.alpha + self.beta + 1))
        return spread

    def interval(self) -> tuple[Floats, Floats]:
        """Return the 5th and the 95th percentile of each rate."""
        low, high = (special.betaincinv(self.alpha, self.beta, q) for q in _INTERVAL)
        return low, high

    def above(self, rate: float) -> Floats:
        """Return how likely each rate is higher than `rate`."""
        share: Floats = special.betaincc(self.alpha, self.beta, rate)
        return share


def fit(pool: ScoredPool, counts: Counts) -> Fit:
    """Return the most likely corrections and certainty, given outcomes and the priors above."""
    tasks, registers = np.nonzero(counts.tried)
    # einsum, not @: as many threads as there are cores would add in another order, and wait
    terms = _terms(_centred(pool)[tasks], registers) * _SPREAD
    odds = pool.prior[tasks, registers]
    won = counts.won[tasks, registers]
    lost = counts.tried[tasks, registers] - won

    def loss(scaled: Floats) -> tuple[float, Floats]:
        """Return minus the log of the posterior density, and its gradient; all in deviations."""
        rate = _rate(odds + np.einsum("np,p", terms, scaled[:-1]))
        k = START_CERTAINTY * np.exp(_LOG_CERTAINTY_SPREAD * scaled[-1])
        a, b = rate * k, (1 - rate) * k
        value = np.sum(special.betaln(a + won, b + lost) - special.betaln(a, b))
        same = special.digamma(k) - special.digamma(k + won + lost)
        by_a = special.digamma(a + won) - special.digamma(a) + same
        by_b = special.digamma(b + lost) - special.digamma(b) + same
        by_odds = (by_a - by_b) * k * rate * (1 - rate)
        by_log_k = _LOG_CERTAINTY_SPREAD * np.sum(by_a * a + by_b * b)
        slope = np.append(np.einsum("np,n", terms, by_odds), by_log_k)
        return float(0.5 * scaled @ scaled - value), scaled - slope

    found = optimize.minimize(loss, np.zeros(len(_TERMS) + 1), jac=True, method="BFGS").x
    corrections = dict(zip(_TERMS, (found[:-1] * _SPREAD).tolist(), strict=True))
    return Fit(corrections, float(START_CERTAINTY * np.exp(_LOG_CERTAINTY_SPREAD * found[-1])))


def posterior(pool: ScoredPool, counts: Counts, fitted: Fit) -> Posterior:
    """Return what is believed of every task in every register."""
    told = fitted.corrections
    columns = np.einsum("tc,c", _centred(pool), [told[name] for name in COLUMNS])
    registers = np.array([told.get(name, 0.0) for name in REGISTERS])
    rate = _rate(pool.prior + told["level"] + columns[:, None] + registers)
    alpha = rate * fitted.certainty + counts.won
    return Posterior(alpha, (1 - rate) * fitted.certainty + counts.tried - counts.won)


def _rate(odds: Floats) -> Floats:
    rate: Floats = np.clip(special.expit(odds), _EDGE, 1 - _EDGE)
    return rate


def _centred(pool: ScoredPool) -> Floats:
    """Return the columns so that the level is that of a middling task of the pool."""
    return pool.columns - pool.columns.mean(axis=0) if len(pool.columns) else pool.columns


def _terms(columns: Floats, registers: NDArray[np.intp]) -> Floats:
    """Return the regressors of pairs of a task, given by its centred columns, and a register."""
    return np.column_stack(
        [np.ones(len(columns)), columns, np.eye(len(REGISTERS))[registers][:, 1:]]
    )
