"""What featuredel must know of a language: the Protocol, and the table of front-ends.

A front-end is pure: it reads trees and says what to run and what to change. It never runs
anything of a repository itself; a sandbox does.
"""

import functools
import importlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Protocol

from featuredel.errors import UsageError
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


class Language(Protocol):
    """A front-end."""

    name: str

    def test_command(
        self, environment: Environment, layers: tuple[Path, ...], request: TestRequest
    ) -> Command:
        """Return the command that runs the tests of the tree made of `layers`."""
        ...

    def test_run(self, request: TestRequest, result: ExecResult) -> TestRun:
        """Return what the tests did, from the result of `test_command`'s command."""
        ...

    def printed_run(
        self, recorded: Sequence[str], variables: Mapping[str, str], timeout_s: int,
        aside: Collection[TestId],
    ) -> PrintedRun:  # fmt: skip
        """Return how a task's recorded command runs where there is no featuredel.

        `variables` are those of the environment, `timeout_s` is what a test may take, and tests
        that are set `aside` are not run.
        """
        ...

    def reads_back(self, test: TestId, others: Collection[TestId]) -> bool:
        """Return whether what such a run prints of a test is taken for one of that test."""
        ...

    def warm_command(self, environment: Environment, trees: Path, seed: int) -> Command:
        """Return the command of a session that runs tests of trees below `trees`."""
        ...

    def warm_question(
        self, environment: Environment, trees: Path, layers: tuple[Path, ...],
        request: TestRequest, files: Mapping[str, bytes | None],
        variants: Sequence[Variant] = (), most: int = 1,
        ran: Mapping[str, frozenset[int]] = MappingProxyType({}),
    ) -> bytes:  # fmt: skip
        """Return how it is asked to run tests of a tree below `trees`, with files replaced.

        With `variants` the tests are collected once, and run with each of them in place, up to
        `most` in one process. `ran` are the lines by file that run when tests are collected.
        """
        ...

    def warm_run(self, request: TestRequest, answer: bytes) -> TestRun:
        """Return what the tests did, from the session's answer."""
        ...

    def variant_runs(self, request: TestRequest, answer: bytes) -> Mapping[int, TestRun]:
        """Return what the tests did with each variant, by its number.

        Those that are missing have to be run on trees of their own.
        """
        ...

    def code_question(
        self, environment: Environment, trees: Path, layers: tuple[Path, ...],
        paths: Collection[str], tests: Collection[TestId],
    ) -> bytes:  # fmt: skip
        """Return how it is asked to compile files of such a tree; `tests` are the whole suite."""
        ...

    def with_code(self, command: Command, file: Path) -> Command:
        """Return `test_command`'s command with its answer at hand, which a file holds."""
        ...

    def index(self, root: Path) -> Index:
        """Return the definitions and references of the tree; what does not parse is left out."""
        ...

    def delete(
        self, root: Path, index: Index, baseline: Baseline, feature: Feature, form: Form,
        max_collateral_share: float, spared: Collection[TestId] = (),
    ) -> Deletion:  # fmt: skip
        """Return the edit that removes `feature` from the tree at `root`, after retreat.

        Inside definitions that stay it cuts at most this share of the feature's code lines. Of the
        feature's tests, those `spared` stay in the tree.
        Raises `Rejected` if nothing worth removing can be unwired.
        """
        ...

    def lint(self, files: Mapping[str, bytes]) -> tuple[str, ...]:
        """Return the faults of `files`: syntax, undefined names, unused imports; sorted."""
        ...

    def lint_tree(self, root: Path, paths: Collection[str]) -> tuple[str, ...]:
        """Return what a second, independent linter holds against files of the tree; sorted."""
        ...

    def code_lines(self, path: str, source: bytes) -> frozenset[int]:
        """Return the lines of code in a source file; none for files of other kinds."""
        ...

    def branches(self, path: str, source: bytes, lines: frozenset[int]) -> int:
        """Return how many branches of a source file start on `lines`."""
        ...

    def mutants(self, root: Path, deletion: Deletion, count: int, seed: int) -> tuple[Mutant, ...]:
        """Return at most `count` wrong variants of the gold code."""
        ...

    def trivial_solutions(
        self, root: Path, deletion: Deletion
    ) -> Mapping[str, Mapping[str, bytes]]:
        """Return the trivial solvers' trees by name, as files over the task tree."""
        ...

    def controls(
        self, hidden: Mapping[str, bytes], taken: Collection[str], f2p: Sequence[TestId], seed: int
    ) -> tuple[Control, ...]:
        """Return neutral forms, controls and canaries of the hidden files, none of them proven.

        `taken` are paths of the tree. The same arguments give the same bytes.
        """
        ...

    def ablated(self, root: Path, edits: Mapping[str, bytes | None]) -> Mapping[str, bytes]:
        """Return the files of `edits` in which functions lose their bodies.

        Those do that the tree at `root` has not, or has otherwise.
        """
        ...

    def names_deleted(
        self, root: Path, deletion: Deletion, tests: Collection[TestId]
    ) -> frozenset[TestId]:
        """Return those of `tests` whose body names a deleted definition; in doubt, it does."""
        ...

    def touched(
        self, original: bytes, hidden: bytes, tests: Collection[TestId]
    ) -> frozenset[TestId]:
        """Return those of a test file's `tests` that its hidden form may change; in doubt, all."""
        ...

    def tell_of(
        self, root: Path, deletion: Deletion, tests: Collection[TestId]
    ) -> frozenset[TestId]:
        """Return those of `tests` whose body tells what is deleted; in doubt, it does.

        It names a definition, or uses a word that of the source only what is deleted holds.
        """
        ...

    def acts_at_import(
        self, root: Path, deletion: Deletion, imported: Collection[str], reached: Collection[str]
    ) -> Literal["no", "here", "anywhere"]:
        """Tell whether what goes did something when its module was loaded.

        `imported` are the files that were, outside of any test, `reached` those of which a test ran
        something. "here": what it did shows in what modules of the tree hold; "anywhere": it may
        not.
        """
        ...

    def held_command(
        self, root: Path, environment: Environment, layers: tuple[Path, ...], paths: Collection[str]
    ) -> Command:
        """Return the command that loads source files and tells what their modules hold then."""
        ...

    def readers(
        self, root: Path, before: bytes, after: bytes
    ) -> Mapping[str, frozenset[int]] | None:
        """Return the lines, by path, that may see what modules of two trees hold otherwise.

        `before` and `after` are the reports of two such commands; None if one tells nothing.
        """
        ...

    def importers(self, root: Path, changed: Collection[str]) -> tuple[str, ...]:
        """Return the changed source files of a tree and those that may import one of them."""
        ...

    def import_command(
        self, root: Path, environment: Environment, layers: tuple[Path, ...], paths: tuple[str, ...]
    ) -> Command:
        """Return the command that imports source files of the tree at `root`."""
        ...

    def import_faults(self, paths: Collection[str], result: ExecResult) -> Mapping[str, str]:
        """Return by path why files could not be imported, from `import_command`'s result."""
        ...

    def describe(
        self,
        root: Path,
        index: Index,
        deletion: Deletion,
        f2p: tuple[TestId, ...],
        extra: tuple[str, ...] = (),
    ) -> Statement:
        """Return the statement in each register that passes the completeness check.

        `extra` are names and texts to tell as well.
        """
        ...

    def untold_words(self, root: Path, deletion: Deletion, statement: str) -> tuple[str, ...]:
        """Return the names and texts of gold that neither statement nor task tree tell."""
        ...

    def perturbed(
        self, root: Path, deletion: Deletion, words: tuple[str, ...]
    ) -> Mapping[str, bytes]:
        """Return the gold files in which `words` are others, as files over the gold tree."""
        ...


@functools.cache
def front_end(name: str) -> Language:
    """Return the front-end of a language, one for the process.

    Raises `UsageError` for a language that there is none for.
    """
    if name not in _FRONT_ENDS:
        raise UsageError(f"no front-end for the language {name!r}; there are {sorted(_FRONT_ENDS)}")
    module, factory = _FRONT_ENDS[name]
    made: Language = getattr(importlib.import_module(module), factory)()
    return made


_FRONT_ENDS = {"python": ("featuredel.languages.python.front_end", "Python")}
