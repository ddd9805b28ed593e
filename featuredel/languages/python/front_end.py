"""The Python front-end: each method in a module of its own, put together here."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from featuredel.languages.python import (
    ablate,
    at_import,
    delete,
    describe,
    held,
    imports,
    index,
    lint,
    mentions,
    metrics,
    mutate,
    perturb,
    printed,
    runner,
    touched,
    trivial,
    warm,
)
from featuredel.languages.python.bench import Bench
from featuredel.languages.python.controls.pool import pool
from featuredel.languages.python.source_side import SourceSide
from featuredel.model import (
    Baseline,
    Control,
    Deletion,
    Environment,
    Feature,
    Form,
    Index,
    Mutant,
    PrintedRun,
    Statement,
    TestId,
    TestRequest,
    TestRun,
    Variant,
)
from featuredel.sandbox import Command, ExecResult


class Python:
    """See `featuredel.languages.Language`."""

    name = "python"

    def __init__(self) -> None:
        self._source: SourceSide | None = None  # of the candidate that was deleted last

    def test_command(
        self, environment: Environment, layers: tuple[Path, ...], request: TestRequest
    ) -> Command:
        return runner.test_command(environment, layers, request)

    def test_run(self, request: TestRequest, result: ExecResult) -> TestRun:
        return runner.test_run(request, result)

    def printed_run(
        self, recorded: Sequence[str], variables: Mapping[str, str], timeout_s: int,
        aside: Collection[TestId],
    ) -> PrintedRun:  # fmt: skip
        return printed.printed_run(recorded, variables, timeout_s, aside)

    def reads_back(self, test: TestId, others: Collection[TestId]) -> bool:
        return printed.reads_back(test, others)

    def warm_command(self, environment: Environment, trees: Path, seed: int) -> Command:
        return warm.warm_command(environment, trees, seed)

    def warm_question(
        self, environment: Environment, trees: Path, layers: tuple[Path, ...],
        request: TestRequest, files: Mapping[str, bytes | None],
        variants: Sequence[Variant] = (), most: int = 1,
        ran: Mapping[str, frozenset[int]] = MappingProxyType({}),
    ) -> bytes:  # fmt: skip
        return warm.warm_question(environment, trees, layers, request, files, variants, most, ran)

    def warm_run(self, request: TestRequest, answer: bytes) -> TestRun:
        return warm.warm_run(request, answer)

    def variant_runs(self, request: TestRequest, answer: bytes) -> Mapping[int, TestRun]:
        return warm.variant_runs(request, answer)

    def code_question(
        self, environment: Environment, trees: Path, layers: tuple[Path, ...],
        paths: Collection[str], tests: Collection[TestId],
    ) -> bytes:  # fmt: skip
        return warm.code_question(environment, trees, layers, paths, tests)

    def with_code(self, command: Command, file: Path) -> Command:
        return warm.with_code(command, file)

    def index(self, root: Path) -> Index:
        return index.build_index(root)

    def delete(
        self, root: Path, index: Index, baseline: Baseline, feature: Feature, form: Form,
        max_collateral_share: float, spared: Collection[TestId] = (),
    ) -> Deletion:  # fmt: skip
        source, bench = self._source, self._source.bench if self._source is not None else None
        if bench is None or bench.index is not index:
            bench = Bench(root, index, baseline)
        asked = (bench, feature, max_collateral_share)
        if source is None or (source.bench, source.feature, source.max_collateral_share) != asked:
            source = self._source = SourceSide(*asked)
        return delete.delete(source, form, spared)

    def lint(self, files: Mapping[str, bytes]) -> tuple[str, ...]:
        return lint.faults(files)

    def lint_tree(self, root: Path, paths: Collection[str]) -> tuple[str, ...]:
        return lint.ruff_faults(root, paths)

    def code_lines(self, path: str, source: bytes) -> frozenset[int]:
        return metrics.code_lines(source) if path.endswith((".py", ".pyi")) else frozenset()

    def branches(self, path: str, source: bytes, lines: frozenset[int]) -> int:
        return metrics.branches(source, lines) if path.endswith(".py") else 0

    def mutants(self, root: Path, deletion: Deletion, count: int, seed: int) -> tuple[Mutant, ...]:
        return mutate.mutants(root, deletion, count, seed)

    def trivial_solutions(
        self, root: Path, deletion: Deletion
    ) -> Mapping[str, Mapping[str, bytes]]:
        return trivial.trivial_solutions(root, deletion)

    def controls(
        self, hidden: Mapping[str, bytes], taken: Collection[str], f2p: Sequence[TestId], seed: int
    ) -> tuple[Control, ...]:
        return pool(hidden, taken, f2p, seed)

    def ablated(self, root: Path, edits: Mapping[str, bytes | None]) -> Mapping[str, bytes]:
        return ablate.ablated(root, edits)

    def names_deleted(
        self, root: Path, deletion: Deletion, tests: Collection[TestId]
    ) -> frozenset[TestId]:
        return mentions.names_deleted(root, deletion, tests)

    def touched(
        self, original: bytes, hidden: bytes, tests: Collection[TestId]
    ) -> frozenset[TestId]:
        return touched.touched(original, hidden, tests)

    def tell_of(
        self, root: Path, deletion: Deletion, tests: Collection[TestId]
    ) -> frozenset[TestId]:
        return mentions.tell_of(root, deletion, tests)

    def acts_at_import(
        self, root: Path, deletion: Deletion, imported: Collection[str], reached: Collection[str]
    ) -> Literal["no", "here", "anywhere"]:
        return at_import.acts_at_import(root, deletion, imported, reached)

    def held_command(
        self, root: Path, environment: Environment, layers: tuple[Path, ...], paths: Collection[str]
    ) -> Command:
        return held.held_command(root, environment, layers, paths)

    def readers(
        self, root: Path, before: bytes, after: bytes
    ) -> Mapping[str, frozenset[int]] | None:
        return held.readers(root, before, after)

    def importers(self, root: Path, changed: Collection[str]) -> tuple[str, ...]:
        return imports.importers(root, changed)

    def import_command(
        self, root: Path, environment: Environment, layers: tuple[Path, ...], paths: tuple[str, ...]
    ) -> Command:
        return imports.import_command(root, environment, layers, paths)

    def import_faults(self, paths: Collection[str], result: ExecResult) -> Mapping[str, str]:
        return imports.import_faults(paths, result)

    def describe(
        self,
        root: Path,
        index: Index,
        deletion: Deletion,
        f2p: tuple[TestId, ...],
        extra: tuple[str, ...] = (),
    ) -> Statement:
        return describe.describe(root, index, deletion, f2p, extra)

    def untold_words(self, root: Path, deletion: Deletion, statement: str) -> tuple[str, ...]:
        return perturb.untold_words(root, deletion, statement)

    def perturbed(
        self, root: Path, deletion: Deletion, words: tuple[str, ...]
    ) -> Mapping[str, bytes]:
        return perturb.perturbed(root, deletion, words)
