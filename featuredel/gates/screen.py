"""Screening: what of T fails without a feature, of many candidates for little more than T's time.

The suite is collected once. A fork loses, in memory, what several candidates of disjoint T delete,
runs their tests, and each failure is credited to the one whose T it is in. Candidates that cannot
be told so (they did something when they were imported, two change the same, a group does not run
to its end) are run by themselves: on their own tree, if need be. What is seen here saves work;
a task is confirmed on its exact tree all the same.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from featuredel import trees
from featuredel.gates.trial import Trial, lay_out, passed
from featuredel.grading import layers_of, run_variants
from featuredel.model import TestId, TestRequest, TestResult, TestRun, Variant

GROUP = 8
"""Candidates in a group at most."""


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
    variants = {n: _variant(trial) for n, trial in enumerate(trials) if _is_plain(trial)}
    found: dict[int, Screened] = {}
    rest = list(variants)
    for size in dict.fromkeys((most, 1)):
        groups = list(_groups({n: variants[n] for n in rest}, size))
        runs = _runs(trials, variants, groups) if groups else []
        for group, run in zip(groups, runs, strict=True):
            if run is not None and run.ended == "finished":
                how: Literal["group", "memory"] = "group" if len(group) > 1 else "memory"
                found |= {n: Screened(_only(run, variants[n].tests or ()), how) for n in group}
        rest = [n for n in rest if n not in found]
    for n, trial in enumerate(trials):
        if n not in found:
            found[n] = _on_its_tree(trial)
    return tuple(found[n] for n in range(len(trials)))


def _is_plain(trial: Trial) -> bool:
    """Tell whether every file stays: what is gone whole is not to be had from memory."""
    deletion = trial.deletion
    return all(deletion.edits[path] is not None for path in deletion.gold_paths)


def _variant(trial: Trial) -> Variant:
    deletion = trial.deletion
    files = {path: deletion.edits[path] for path in deletion.gold_paths if path.endswith(".py")}
    return Variant({path: text for path, text in files.items() if text is not None}, _tests(trial))


def _tests(trial: Trial) -> tuple[TestId, ...]:
    known = frozenset(trial.baseline.tests)
    return tuple(sorted(known.intersection(trial.deletion.feature.tests)))


def _groups(variants: Mapping[int, Variant], most: int) -> Iterator[list[int]]:
    """Yield groups of candidates whose tests are disjoint, in order, each as full as may be."""
    left = dict(variants)
    while left:
        group: list[int] = []
        taken: set[TestId] = set()
        for n, variant in left.items():
            if len(group) < most and taken.isdisjoint(variant.tests or ()):
                group.append(n)
                taken.update(variant.tests or ())
        for n in group:
            del left[n]
        yield group


def _runs(
    trials: Sequence[Trial], variants: Mapping[int, Variant], groups: Sequence[Sequence[int]]
) -> list[TestRun | None]:
    first = trials[0]
    asked = sorted({test for group in groups for n in group for test in variants[n].tests or ()})
    place = {n: at for at, n in enumerate(variants)}
    with tempfile.TemporaryDirectory(prefix="screen-", dir=first.work) as directory:
        whole = Path(directory) / "whole"
        trees.build_tree(first.snapshot.root, {}, whole)
        runs = run_variants(
            first.language, first.sandbox, first.environment,
            layers_of(first.environment, whole), first.request(asked, repeat=1), first.work,
            list(variants.values()), first.baseline.lines.imported,
            [[place[n] for n in group] for group in groups],
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


def _request(trial: Trial) -> TestRequest:
    """Ask for what no run on the exact tree asks for: another order, and another hash seed."""
    return trial.request(_tests(trial), repeat=1)
