"""Gates that ask what the reward is worth: who earns it without the work, and what it notices."""

import functools
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from featuredel.errors import Rejected
from featuredel.gates.trial import Trial, gate, passed
from featuredel.grading import Exam, reward
from featuredel.model import Gate, Mutant, TestId, TestRun, Variant

MEASURING = 5
"""Times a test's own time: wrong code loops more often than right code, and takes no longer."""


@dataclass(frozen=True, slots=True)
class Strength:
    """How many mutants of the gold code there were, and how many F2P notice.

    A time-out notices too. A mutant that none of F2P runs is not noticed.
    """

    mutants: int
    killed: int

    @property
    def gate(self) -> Gate:
        """What was measured; it rejects nothing."""
        return gate("reward strength", "measured", mutants=self.mutants, killed=self.killed)

    @property
    def share(self) -> float | None:
        """The share that is noticed, in [0, 1]; None without mutants."""
        return round(self.killed / self.mutants, 4) if self.mutants else None


def null_solver(f2p: tuple[TestId, ...], before: TestRun) -> Gate:
    """See that the untouched task tree earns nothing."""
    earned = reward(before.results, Exam((), f2p, (), ()))
    if earned.reward:
        raise Rejected("the untouched tree earns a reward", f"{earned.reward:.2f}")
    return gate("null solver", reward=earned.reward, f2p=len(f2p))


def measured(trial: Trial, f2p: tuple[TestId, ...]) -> tuple[Gate, Strength]:
    """See that no trivial solver turns more of F2P than the settings allow; measure the strength.

    Both are other code in the places of the gold code, so F2P are collected once for all. What
    is no solution as so many tests fail, or a mutant that one test notices, is run no further.
    """
    tests = trial.quickest_first(f2p)
    request = replace(trial.request(tests, patience=MEASURING), order="asked")
    solutions = trial.language.trivial_solutions(trial.snapshot.root, trial.deletion)
    mutants = trial.language.mutants(
        trial.snapshot.root, trial.deletion, trial.settings.mutants, trial.settings.seed
    )
    noticing = [variant for variant in _mutated(trial, mutants, tests) if variant.tests]
    removed = {path: trial.deletion.edits[path] for path in trial.deletion.gold_paths}
    enough = len(f2p) - int(trial.settings.max_trivial_share * len(f2p))
    solving = [
        Variant({**removed, **files}, stop_after_failures=enough) for files in solutions.values()
    ]
    runs = trial.fork_each(request, trial.gold, [*solving, *noticing])
    turned = {
        name: len(passed(run.results, f2p)) for name, run in zip(solutions, runs, strict=False)
    }
    killed = sum(
        len(passed(run.results, variant.tests or ())) < len(variant.tests or ())
        for run, variant in zip(runs, noticing, strict=True)
    )
    return _trivial(trial, turned, len(f2p)), Strength(len(mutants), killed)


def _trivial(trial: Trial, turned: Mapping[str, int], of: int) -> Gate:
    for name, count in turned.items():
        if count > trial.settings.max_trivial_share * of:
            raise Rejected("a trivial solver passes", f"{name!r} turns {count} of {of} tests")
    return gate("trivial solvers", f2p=of, turned=turned)


def _mutated(
    trial: Trial, mutants: Sequence[Mutant], tests: tuple[TestId, ...]
) -> Iterator[Variant]:
    """Yield the trees with a fault each; a test that does not run the fault cannot notice it."""
    for mutant in mutants:
        reaching = _reaching(trial, mutant, tests)
        yield Variant(mutant.files, reaching, stop_after_failures=1)


def _reaching(trial: Trial, mutant: Mutant, f2p: tuple[TestId, ...]) -> tuple[TestId, ...]:
    """Return the tests that run the function that is other; all, where that is not known."""
    lines, body = trial.baseline.lines, range(mutant.first_line, mutant.last_line + 1)
    if not lines.imported.get(mutant.path, frozenset(body)).isdisjoint(body):
        return f2p
    reached = lines.reached.get(mutant.path, {})
    bits = functools.reduce(operator.or_, (reached.get(line, 0) for line in body), 0)
    found = {test for number, test in enumerate(lines.tests) if bits >> number & 1}
    return tuple(test for test in f2p if test in found)
