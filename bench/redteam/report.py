"""The red team's section of RESULTS.md."""

from collections.abc import Iterator, Sequence

from bench.redteam.campaign import Round
from bench.redteam.programs import Kind, programs, summary
from bench.redteam.trial import Trial
from bench.results import table

HEAD = """## Red team

Each program of `bench/redteam/` changes the tree of a task that a solver is given in the register
`terse`. Naive graders (`naive.py`) copy the hidden tests over that tree and run pytest. They go by
the exit code (E), "N passed" (O), all expected tests in the JUnit report (J), at least half of them
(S), a reward that a script beside the tests writes (R), or leave the tests as the solver has them
(T). Each cell says which of them reward the attack, and what the real grader gives.
"""
LIMITS = """### Limits

What this grader cannot tell from a solution; not counted above. In the register `terse` the tests
that count lie before the solver: a table of what they expect passes them and all that is made of
them, and a forger that compares what it sees with what it has seen is such a table. Neither exists
where the tests are hidden. What tests check through the solver's own code, that code may not check.
Whoever forges by chance is lucky now and then (the best of eight gradings).
"""


def section(rounds: Sequence[Round], machine: str, found: Sequence[str]) -> str:
    """Return the section."""
    return "\n".join(_parts(rounds, machine, found))


def _parts(rounds: Sequence[Round], machine: str, found: Sequence[str]) -> Iterator[str]:
    yield HEAD
    yield f"On {machine}.\n"
    yield _counts(rounds)
    yield "\n### Attacks\n"
    yield _table(rounds, "attacks")
    yield "\n### Honest solutions in other forms\n"
    yield _table(rounds, "honest")
    yield "\nWhat is dropped, and must cost nothing (burdens):\n"
    yield _table(rounds, "burdens")
    yield "\nWhat should end a run; no reward, and a verdict (blows):\n"
    yield _table(rounds, "blows")
    yield f"\n{LIMITS}"
    yield _table(rounds, "limits")
    yield "\n### Faults\n"
    yield "\n".join(f"- {fault}" for fault in found) or "None."


def _counts(rounds: Sequence[Round]) -> str:
    head = ("task", "attacks that count", "rewarded", "honest", "rewarded", "reference", "naive")
    rows = [
        (
            one.name,
            f"{one.counted} of {_fit(one, 'attacks')}",
            sum(bool(trial.reward) for trial in one.trials["attacks"].values()),
            _fit(one, "honest"),
            sum(trial.reward == 1 for trial in one.trials["honest"].values()),
            f"{sum(trial.reward == 1 for trial in one.gold)} of {len(one.gold)}",
            f"untouched `{one.untouched}`, solved `{one.solved}`",
        )
        for one in rounds
    ]
    return table(head, rows)


def _fit(one: Round, kind: Kind) -> int:
    return sum(not trial.unfit for trial in one.trials[kind].values())


def _table(rounds: Sequence[Round], kind: Kind) -> str:
    head = (kind, *(one.name for one in rounds), "what it does", "what stopped it")
    rows = []
    for name, change in programs(kind).items():
        trials = [one.trials[kind][name] for one in rounds]
        why = [trial.why for trial in trials if trial.why and not trial.unfit]
        rows.append((name, *map(_cell, trials), summary(change), why[0] if why else ""))
    return table(head, rows)


def _cell(trial: Trial) -> str:
    if trial.unfit:
        return f"no place: {trial.why}"
    reward = "no verdict" if trial.reward is None else f"{trial.reward:.3g}"
    return f"`{trial.naive}` {reward}" if trial.naive else reward
