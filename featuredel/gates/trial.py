"""A candidate laid out on disk, and running tests on its trees."""

import builtins
import json
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from featuredel import trees
from featuredel.config import Settings
from featuredel.grading import graded_tree, layers_of, outcome_of, run_settled, run_tests
from featuredel.languages import Language
from featuredel.model import (
    Baseline,
    Deletion,
    Environment,
    Gate,
    Snapshot,
    TestId,
    TestRequest,
    TestResult,
    TestRun,
)
from featuredel.sandbox import Sandbox

SHOWN = 20
"""Ids that a piece of evidence or a rejection lists; the count beside them is of all."""

GRACE_S = 5.0
"""A test of a broken tree gets this much, and what it took before many times over."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A candidate, its three trees, and what it takes to run them."""

    snapshot: Snapshot
    environment: Environment
    baseline: Baseline
    deletion: Deletion
    language: Language
    sandbox: Sandbox
    settings: Settings
    task: Path  # the solver's tree
    hidden: Path  # the task tree with the hidden files laid over it: how nothing is graded
    gold: Path  # the snapshot with the hidden files laid over it: how the gold patch is graded
    scratch: Path  # for more trees

    def run(self, request: TestRequest, tree: Path) -> TestRun:
        """Run tests once."""
        where = layers_of(self.environment, tree)
        return run_tests(self.language, self.sandbox, self.environment, where, request)

    def run_settled(self, request: TestRequest, tree: Path) -> TestRun:
        """Run tests by id as grading does."""
        where = layers_of(self.environment, tree)
        return run_settled(self.language, self.sandbox, self.environment, where, request)

    def run_variants(
        self, request: TestRequest, tree: Path, variants: Sequence[Mapping[str, bytes]]
    ) -> tuple[TestRun, ...]:
        """Run tests on variants of a tree; one whose run was not reported is run by itself."""
        if not variants:
            return ()
        where = layers_of(self.environment, tree)
        command = self.language.variants_command(self.environment, where, request, variants)
        runs = self.language.variant_runs(request, self.sandbox.run(command))[: len(variants)]
        left = variants[len(runs) :]
        return (*runs, *(self._run_variant(request, tree, files) for files in left))

    def _run_variant(self, request: TestRequest, tree: Path, files: Mapping[str, bytes]) -> TestRun:
        with tempfile.TemporaryDirectory(dir=self.scratch) as directory:
            variant = Path(directory) / "tree"
            trees.build_tree(tree, files, variant)
            return self.run(request, variant)

    def patience_s(self, tests: Collection[TestId]) -> float:
        """Return how long one of `tests` may take on a tree where it may loop for ever."""
        took = dict(zip(self.baseline.tests, self.baseline.durations_s, strict=True))
        longest = max((took.get(test, 0.0) for test in tests), default=0.0)
        return min(self.settings.test_timeout_s, GRACE_S + 20 * longest)


def lay_out(trial: Trial) -> None:
    """Write the trees of a trial."""
    deletion = trial.deletion
    trees.build_tree(trial.snapshot.root, deletion.edits, trial.task)
    graded_tree(trial.task, {}, deletion.hidden_files, trial.hidden)
    graded_tree(trial.snapshot.root, {}, deletion.hidden_files, trial.gold)


def gate(
    name: str, outcome: Literal["passed", "failed", "measured"] = "passed", **evidence: object
) -> Gate:
    """Return a gate with its evidence as JSON, keys sorted."""
    return Gate(name, outcome, json.dumps(evidence, sort_keys=True, ensure_ascii=True))


def some(items: Iterable[str]) -> list[str]:
    """Return the first few of `items`, sorted."""
    return sorted(items)[:SHOWN]


def listed(items: Iterable[str]) -> str:
    """Return `items` as a line for a person."""
    ordered = sorted(items)
    rest = f" and {len(ordered) - 5} more" if len(ordered) > 5 else ""
    return ", ".join(ordered[:5]) + rest


def told(results: Mapping[TestId, TestResult], tests: Collection[TestId]) -> str:
    """Return what became of `tests`, for a person."""
    return listed(f"{test} ({_told(results.get(test))})" for test in tests)


def passed(results: Mapping[TestId, TestResult], tests: Iterable[TestId]) -> frozenset[TestId]:
    """Return the tests that passed."""
    return frozenset(test for test in tests if outcome_of(results, test) == "passed")


def reasons(results: Mapping[TestId, TestResult], tests: Collection[TestId]) -> Mapping[str, int]:
    """Count why tests did not pass: by what the language itself raised, or else by outcome.

    Which of two exceptions a test meets first on a socket or a file may change from run to run,
    and evidence must not.
    """
    return Counter(_kind(results.get(test)) for test in tests)


_TOLD = frozenset(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, OSError)
)


def _kind(result: TestResult | None) -> str:
    if result is None:
        return "absent"
    name = result.reason.partition(":")[0].strip().rpartition(".")[2]
    if result.outcome in ("failed", "error") and name in _TOLD:
        return name
    return result.outcome


def _told(result: TestResult | None) -> str:
    return "absent" if result is None else result.reason[:200] or result.outcome
