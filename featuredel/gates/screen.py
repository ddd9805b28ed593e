"""Screening: what of T fails without a feature, of many candidates for little more than T's time.

The suite is collected once. A fork loses, in memory, what a candidate deletes, and runs its T.
Candidates of few tests share a fork, one after the other, as long as nothing that one leaves
behind could be taken for a failure of the next. Candidates that cannot be told so (they did
something when they were imported, a run did not end) are run on their own tree. What is seen here
saves work; a task is confirmed on its exact tree all the same.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from featuredel import trees
from featuredel.forks import run_variants
from featuredel.gates.trial import Trial, lay_out, passed
from featuredel.grading import layers_of
from featuredel.model import TestId, TestRequest, TestResult, TestRun, Variant

GROUP = 16
"""Candidates that share a fork at most."""

LIGHT_TESTS, LIGHT_S = 12, 0.02
"""A fork costs about as much as these many tests, which take so long."""


@dataclass(frozen=True, slots=True)
class Screened:
    """What of T fails without the feature, and how that was seen."""

    run: TestRun  # of T alone
    how: Literal["group", "memory", "tree"]

    @property
    def failing(self) -> frozenset[TestId]:
        """The tests of T that did not pass."""
        return frozenset(self.run.results) - passed(self.run.results, self.run.results)


def screen(trials: Sequence[Trial], most: int = GROUP) -> tuple[Screened, ...]:
    """Return what of the T of each candidate fails; all are candidates of one repository."""
    variants = [_variant(trial) for trial in trials]
    found: dict[int, Screened] = {}
    if len(variants) > 1:
        for n, run in enumerate(_runs(trials[0], variants, most)):
            if run is not None and run.ended == "finished":
                how: Literal["group", "memory"] = "group" if run.shared else "memory"
                found[n] = Screened(_only(run, variants[n].tests or ()), how)
    return tuple(found.get(n) or _on_its_tree(trial) for n, trial in enumerate(trials))


def _variant(trial: Trial) -> Variant:
    deletion = trial.deletion
    request = _request(trial)
    return Variant(
        {path: deletion.edits[path] for path in deletion.gold_paths},
        request.ids,
        hidden=tuple(file.path for file in deletion.hidden_files if file.path.endswith(".py")),
        alone=not _is_light(trial),
        limits_s=(request.timeout_s, request.test_cpu_s or request.timeout_s),
    )


def _is_light(trial: Trial) -> bool:
    took = trial.took_s(_tests(trial))
    return len(took) <= LIGHT_TESTS and sum(took.values()) <= LIGHT_S


def _tests(trial: Trial) -> tuple[TestId, ...]:
    known = frozenset(trial.baseline.tests)
    return tuple(sorted(known.intersection(trial.deletion.feature.tests)))


def _request(trial: Trial) -> TestRequest:
    """Ask for what no run on the exact tree asks for: another order, and another hash seed."""
    return replace(trial.request(_tests(trial), repeat=1), lean=True)


def _runs(first: Trial, variants: Sequence[Variant], most: int) -> list[TestRun | None]:
    asked = sorted({test for variant in variants for test in variant.tests or ()})
    request = replace(first.request(asked, repeat=1), lean=True)
    with tempfile.TemporaryDirectory(prefix="screen-", dir=first.work) as directory:
        whole = Path(directory) / "whole"
        trees.build_tree(first.snapshot.root, {}, whole)
        runs = run_variants(
            first.language, first.sandbox, first.environment,
            layers_of(first.environment, whole), request, first.work,
            variants, first.baseline.lines.imported, most,
        )  # fmt: skip
        return list(runs)


def _only(run: TestRun, tests: Sequence[TestId]) -> TestRun:
    absent = TestResult("absent", 0.0)
    return replace(run, results={test: run.results.get(test, absent) for test in tests})


def _on_its_tree(trial: Trial) -> Screened:
    tests = _tests(trial)
    with tempfile.TemporaryDirectory(prefix="screen-", dir=trial.work) as directory:
        scratch = Path(directory)
        trial = replace(
            trial, task=scratch / "task", hidden=scratch / "hidden", gold=scratch / "gold"
        )
        lay_out(trial)
        return Screened(_only(trial.fork(_request(trial), trial.hidden), tests), "tree")
