"""Gates that ask what the reward is worth: who earns it without the work, and what it notices."""

import functools
import operator
from collections.abc import Mapping

from featuredel.errors import Rejected
from featuredel.gates.trial import Trial, gate, passed
from featuredel.grading import Exam, reward
from featuredel.model import Gate, Mutant, TestId, TestRun, Variant

MEASURING = 5
"""Times a test's own time: wrong code loops more often than right code, and takes no longer."""


def null_solver(f2p: tuple[TestId, ...], before: TestRun) -> Gate:
    """See that the untouched task tree earns nothing."""
    earned = reward(before.results, Exam((), f2p, (), ()))
    if earned.reward:
        raise Rejected("the untouched tree earns a reward", f"{earned.reward:.2f}")
    return gate("null solver", reward=earned.reward, f2p=len(f2p))


def trivial_solvers(trial: Trial, f2p: tuple[TestId, ...]) -> Gate:
    """See that no trivial solver turns more of F2P than the settings allow."""
    solutions = trial.language.trivial_solutions(trial.snapshot.root, trial.deletion)
    request = trial.request(f2p, patience=MEASURING)
    whole = {name: files for name, files in solutions.items() if _is_whole(trial, files)}
    runs = trial.fork_each(request, trial.gold, [Variant(files) for files in whole.values()])
    seen = dict(zip(whole, runs, strict=True))
    turned = {
        name: len(passed((seen.get(name) or trial.fork(request, trial.hidden, files)).results, f2p))
        for name, files in solutions.items()
    }
    for name, count in turned.items():
        if count > trial.settings.max_trivial_share * len(f2p):
            raise Rejected("a trivial solver passes", f"{name!r} turns {count} of {len(f2p)} tests")
    return gate("trivial solvers", f2p=len(f2p), turned=turned)


def reward_strength(trial: Trial, f2p: tuple[TestId, ...]) -> tuple[Gate, int, float | None]:
    """Measure the share of mutants of the gold code that F2P notice. A time-out notices too.

    A mutant that none of F2P runs is not noticed.
    """
    settings = trial.settings
    mutants = trial.language.mutants(
        trial.snapshot.root, trial.deletion, settings.mutants, settings.seed
    )
    request = trial.request(f2p, stop=True, patience=MEASURING)
    variants = [Variant(mutant.files, _reaching(trial, mutant, f2p)) for mutant in mutants]
    variants = [variant for variant in variants if variant.tests]
    runs = trial.fork_each(request, trial.gold, variants)
    killed = sum(
        len(passed(run.results, variant.tests or ())) < len(variant.tests or ())
        for run, variant in zip(runs, variants, strict=True)
    )
    strength = round(killed / len(mutants), 4) if mutants else None
    seen = gate("reward strength", "measured", mutants=len(mutants), killed=killed)
    return seen, len(mutants), strength


def _is_whole(trial: Trial, files: Mapping[str, bytes]) -> bool:
    """Tell whether a solver gives every file of the gold patch, so that on gold it is the same."""
    return all(path in files for path in trial.deletion.gold_paths if (trial.gold / path).is_file())


def _reaching(trial: Trial, mutant: Mutant, f2p: tuple[TestId, ...]) -> tuple[TestId, ...]:
    """Return the tests that run the function that is other; all, where that is not known."""
    lines, body = trial.baseline.lines, range(mutant.first_line, mutant.last_line + 1)
    if not lines.imported.get(mutant.path, frozenset(body)).isdisjoint(body):
        return f2p
    reached = lines.reached.get(mutant.path, {})
    bits = functools.reduce(operator.or_, (reached.get(line, 0) for line in body), 0)
    found = {test for number, test in enumerate(lines.tests) if bits >> number & 1}
    return tuple(test for test in f2p if test in found)
