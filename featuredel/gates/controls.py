"""The gate that proves controls: gold passes the neutral forms, and fails the changed tests."""

import random
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from featuredel import trees
from featuredel.controls import CANARIES, Drawn, applied, uncontrolled
from featuredel.gates.trial import Trial, gate, passed, some
from featuredel.grading import graded_tree, outcome_of
from featuredel.model import CANARY_PASSES, NEUTRAL, Control, Gate, TestId, TestRun

MAX_BESIDE = 10
"""Test functions without F2P that have controls as well."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The controls that gold was seen to pass, and the gate that says so."""

    controls: tuple[Control, ...]
    gate: Gate


def controls(trial: Trial, f2p: tuple[TestId, ...], excluded: Collection[TestId]) -> Pool:
    """Run gold with every form of F2P that can be made, and keep those that came out right.

    A file in which a neutral form or a canary changes what another test does has none of these,
    and a test that no neutral form of passes has no controls. Changed tests run beside neutral
    ones, as in grading: one that leaves something behind when it fails may do harm to others, and
    then none of its file is kept. `excluded` are tests of which it does not matter. Rejects
    nothing.
    """
    files = trial.deletion.hidden_files
    found = trial.language.controls(
        {file.path: file.content for file in files if file.mode != trees.MODE_LINK},
        list(trees.files(trial.gold)), (*f2p, *_some_beside(trial, f2p, excluded)),
        trial.settings.seed,
    )  # fmt: skip
    apart = {NEUTRAL, *CANARIES}
    forms = _proven(trial, [one for one in found if one.kind in apart], excluded)
    plain = {test for one in forms if one.kind == NEUTRAL for test in one.tests}
    changed = [one for one in found if one.kind not in apart and plain.issuperset(one.tests)]
    kept = (*forms, *_proven(trial, changed, excluded, beside=forms))
    without = uncontrolled(kept, f2p)
    counts = Counter(one.kind for one in kept)
    seen = gate(
        "controls", "measured", made=len(found), kept=dict(counts), f2p=len(f2p),
        uncontrolled=len(without), without=some(without),
    )  # fmt: skip
    return Pool(kept, seen)


def _some_beside(
    trial: Trial, f2p: Collection[TestId], excluded: Collection[TestId]
) -> list[TestId]:
    """Return other tests of hidden files: who breaks one must not say that it passes.

    They are all of functions that have F2P, whose changed forms they have as well, and those of
    some functions that are drawn.
    """
    beside = _beside(trial, {file.path for file in trial.deletion.hidden_files})
    tests = sorted(beside.difference(f2p, excluded))
    own = {_function(test) for test in f2p}
    functions = sorted({_function(test) for test in tests} - own)
    chance = random.Random(f"{trial.settings.seed} {trial.deletion.feature.id}")  # noqa: S311
    chosen = own.union(chance.sample(functions, min(len(functions), MAX_BESIDE)))
    return [test for test in tests if _function(test) in chosen]


def _function(test: TestId) -> str:
    return test.partition("[")[0]


def _proven(
    trial: Trial, found: Sequence[Control], excluded: Collection[TestId],
    beside: Sequence[Control] = (),
) -> tuple[Control, ...]:  # fmt: skip
    """Return what comes out as meant, and harms no other test; `beside` are neutral forms."""
    neutral = {one.tests: one for one in beside if one.kind == NEUTRAL}
    kept: list[Control] = []
    for slot in _slots(found):
        # in grading about half of what has controls is changed, the rest is neutral
        parts = (slot[::2], slot[1::2]) if beside and 2 * len(slot) > len(neutral) else (slot,)
        for part in filter(None, parts):
            own = {one.tests for one in part}
            others = [form for tests, form in neutral.items() if tests not in own]
            run = _run(trial, applied(trial.deletion.hidden_files, [*part, *others]))
            meant = {test for one in part for test in one.tests}
            known = frozenset(run.results).intersection(trial.baseline.tests)
            shaken = _shaken(run, known.difference(meant, excluded))
            kept += [one for one in part if one.path not in shaken and _as_meant(run, one)]
    return tuple(sorted(kept, key=found.index))


def _run(trial: Trial, drawn: Drawn) -> TestRun:
    """Run what has other forms, and what else stands in the hidden files."""
    asked = {*drawn.of, *_beside(trial, {file.path for file in drawn.files})}
    with tempfile.TemporaryDirectory(prefix="controls-", dir=trial.work) as directory:
        tree = Path(directory) / "tree"
        graded_tree(trial.snapshot.root, {}, drawn.files, tree)
        return trial.fork(trial.request(sorted(asked)), tree)


def _beside(trial: Trial, paths: Collection[str]) -> set[TestId]:
    return {test for test in trial.baseline.tests if test.partition("::")[0] in paths}


def _shaken(run: TestRun, others: frozenset[TestId]) -> frozenset[str]:
    """Return the files of which a test fails that nothing was done to."""
    failed = others - passed(run.results, others)
    return frozenset(test.partition("::")[0] for test in failed)


def _as_meant(run: TestRun, control: Control) -> bool:
    outcomes = {outcome_of(run.results, test) for test in control.tests}
    if control.kind in (NEUTRAL, CANARY_PASSES):
        return outcomes == {"passed"}
    return outcomes <= {"failed", "error"}


def _slots(found: Sequence[Control]) -> Iterator[list[Control]]:
    """Put controls together that can be run at once: each changes its tests, or adds some."""
    left = list(found)
    while left:
        taken: set[TestId] = set()
        slot: list[Control] = []
        rest: list[Control] = []
        for one in left:
            (rest if taken.intersection(one.tests) else slot).append(one)
            taken.update(one.tests)
        yield slot
        left = rest
