"""A candidate laid out on disk, and running tests on its trees."""

import builtins
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from featuredel import trees
from featuredel.config import Settings
from featuredel.forks import run_compiled, run_forked, run_variants
from featuredel.grading import (
    CPU_GRACE_S,
    GRACE_S,
    PATIENCE,
    Edits,
    graded_tree,
    layers_of,
    outcome_of,
    run_settled,
)
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
    Variant,
)
from featuredel.sandbox import Sandbox

SHOWN = 20
"""Ids that a piece of evidence or a rejection lists; the count beside them is of all."""

QUICK_S = 0.1
"""A test that took longer has a limit of its own; the others have that of the longest of them."""


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
    work: Path  # a directory above the trees that stays when they go

    def run(self, request: TestRequest, tree: Path) -> TestRun:
        """Run tests once, in a process of their own."""
        return run_compiled(
            self.language, self.sandbox, self.environment, layers_of(self.environment, tree),
            request, self.work, self.baseline.lines.imported, self.baseline.tests,
        )  # fmt: skip

    def fork(
        self, request: TestRequest, tree: Path, files: Edits = MappingProxyType({})
    ) -> TestRun:
        """Run tests once, in a fork, on a tree with files replaced; None takes one away."""
        where = layers_of(self.environment, tree)
        return run_forked(
            self.language, self.sandbox, self.environment, where, request, self.work, files
        )

    def fork_each(
        self, request: TestRequest, tree: Path, variants: Sequence[Variant]
    ) -> Iterator[TestRun]:
        """Run tests in forks, on a tree with each of several sets of files in place of others."""
        runs = run_variants(
            self.language, self.sandbox, self.environment, layers_of(self.environment, tree),
            request, self.work, variants, self.baseline.lines.imported,
        )  # fmt: skip
        for run, variant in zip(runs, variants, strict=True):
            ids = request.ids if variant.tests is None else variant.tests
            alone = replace(request, ids=ids, stop_after_failures=variant.stop_after_failures)
            yield run or self.fork(alone, tree, variant.files)

    def fork_settled(self, request: TestRequest, tree: Path) -> TestRun:
        """Run tests by id as grading does, in forks."""
        return run_settled(lambda request: self.fork(request, tree), request)

    def took_s(self, tests: Iterable[TestId]) -> dict[TestId, float]:
        """Return how long tests took in the baseline; 0 for one that it does not know."""
        took = dict(zip(self.baseline.tests, self.baseline.durations_s, strict=True))
        return {test: took.get(test, 0.0) for test in tests}

    def quickest_first(self, tests: Iterable[TestId]) -> tuple[TestId, ...]:
        """Return tests file by file, in each the quickest first: a failure is seen the sooner."""
        took = self.took_s(tests)
        files: dict[str, list[TestId]] = {}
        for test in sorted(took, key=lambda test: took[test]):
            files.setdefault(test.partition("::")[0], []).append(test)
        cost = {file: sum(took[test] for test in inside) for file, inside in files.items()}
        return tuple(test for file in sorted(files, key=lambda f: cost[f]) for test in files[file])

    def request(
        self, tests: Iterable[TestId], *, repeat: int = 0, patience: int = PATIENCE
    ) -> TestRequest:
        """Return the request to run `tests` on a tree where one of them may loop for ever."""
        own_s = self.took_s(tests)
        quick_s = max((s for s in own_s.values() if s <= QUICK_S), default=0.0)
        longest_s = max(own_s.values(), default=0.0)
        most_s = self.settings.test_timeout_s

        def limit_s(took_s: float) -> float:
            return min(most_s, CPU_GRACE_S + patience * took_s)

        return TestRequest(
            ids=tuple(own_s),
            order="given" if repeat == 0 else "shuffled",
            seed=repeat,
            timeout_s=min(most_s, GRACE_S + PATIENCE * longest_s),
            test_cpu_s=limit_s(quick_s),
            slow_cpu_s={test: limit_s(s) for test, s in own_s.items() if s > QUICK_S},
            total_timeout_s=self.settings.suite_timeout_s,
        )


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
