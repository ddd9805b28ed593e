"""Gates that ask what the reward is worth: who earns it without the work, and what it notices."""

from featuredel.errors import Rejected
from featuredel.gates.trial import Trial, gate, passed
from featuredel.grading import Exam, reward
from featuredel.model import Gate, TestId, TestRun

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
    turned = {
        name: len(passed(trial.fork(request, trial.hidden, files).results, f2p))
        for name, files in solutions.items()
    }
    for name, count in turned.items():
        if count > trial.settings.max_trivial_share * len(f2p):
            raise Rejected("a trivial solver passes", f"{name!r} turns {count} of {len(f2p)} tests")
    return gate("trivial solvers", f2p=len(f2p), turned=turned)


def reward_strength(trial: Trial, f2p: tuple[TestId, ...]) -> tuple[Gate, int, float | None]:
    """Measure the share of mutants of the gold code that F2P notice. A time-out notices too."""
    settings = trial.settings
    mutants = trial.language.mutants(
        trial.snapshot.root, trial.deletion, settings.mutants, settings.seed
    )
    request = trial.request(f2p, stop=True, patience=MEASURING)
    runs = trial.fork_each(request, trial.gold, mutants)
    killed = sum(len(passed(run.results, f2p)) < len(f2p) for run in runs)
    strength = round(killed / len(mutants), 4) if mutants else None
    seen = gate("reward strength", "measured", mutants=len(mutants), killed=killed)
    return seen, len(mutants), strength
