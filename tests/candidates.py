"""A toy repository, a deletion from it made by hand, and what stands in for its test runs."""

import contextlib
import datetime
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from featuredel import trees
from featuredel.languages import Language
from featuredel.languages.python import ablate, at_import, lint, mentions, mutate, touched, trivial
from featuredel.model import (
    Baseline,
    Control,
    Deletion,
    Environment,
    Feature,
    HiddenFile,
    Lines,
    Mutant,
    Outcome,
    Snapshot,
    TestId,
    TestRequest,
    TestResult,
    TestRun,
)
from featuredel.sandbox import Command, ExecResult, Ground

FILES = {
    "calc/__init__.py": b"from calc.core import add\nfrom calc.more import mul\n",
    "calc/core.py": b"def add(a, b):\n    return a + b\n",
    "calc/more.py": b"def mul(a, b):\n    return a * b\n\n\ndef neg(a):\n    return -a\n",
    "tests/test_core.py": (
        b"from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
    ),
    "tests/test_more.py": (
        b"from calc import mul\nfrom calc.more import neg\n\n\n"
        b"def test_mul():\n    assert mul(2, 3) == 6\n\n\n"
        b"def test_mul_zero():\n    assert mul(2, 0) == 0\n\n\n"
        b"def test_neg():\n    assert neg(1) == -1\n"
    ),
    "pyproject.toml": (
        b'[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n'
        b'[project]\nname = "calc"\nversion = "1.0"\n\n'
        b'[tool.setuptools]\npackages = ["calc"]\n'
    ),
}
TESTS = tuple(
    TestId(test)
    for test in (
        "tests/test_core.py::test_add",
        "tests/test_more.py::test_mul",
        "tests/test_more.py::test_mul_zero",
        "tests/test_more.py::test_neg",
    )
)
REACHED = TESTS[1:3]
HIDDEN = FILES["tests/test_more.py"].replace(
    b"from calc import mul\n",
    b"try:\n    from calc import mul\nexcept ImportError:\n"
    b"    def mul(*_):\n        raise ImportError('calc.mul is not implemented')\n",
)
EDITS: Mapping[str, bytes | None] = {
    "calc/__init__.py": b"from calc.core import add\n",
    "calc/more.py": b"def neg(a):\n    return -a\n",
    "tests/test_more.py": (
        b"from calc.more import neg\n\n\ndef test_neg():\n    assert neg(1) == -1\n"
    ),
}


def write(root: Path, files: Mapping[str, bytes] = FILES) -> Path:
    """Write files below `root`."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def snapshot(root: Path, files: Mapping[str, bytes] = FILES) -> Snapshot:
    """Write the toy repository and return it as a snapshot."""
    write(root, files)
    return Snapshot(
        repository="calc", source="pkg:pypi/calc@1.0", source_sha256="ab" * 32, version="1.0",
        released=datetime.date(2024, 1, 1), licence="MIT", tree=trees.tree_hash(root), root=root,
    )  # fmt: skip


def baseline(tests: tuple[TestId, ...] = TESTS, **changes: Any) -> Baseline:
    """Return a baseline in which `tests` pass and of which no lines are known."""
    base = Baseline(
        tests, durations_s=(0.01,) * len(tests), set_aside=(), lines=Lines(tests, {}, {}),
    )  # fmt: skip
    return replace(base, **changes)


def deletion(*definitions: str, **changes: Any) -> Deletion:
    """Return the deletion of calc's `mul`, or of other definitions of other files."""
    names: tuple[Any, ...] = definitions or ("calc/more.py::mul",)
    feature = Feature(
        id="0" * 16, name="calc.mul", seed=names[0], seed_kind="definition", definitions=names,
        tests=REACHED, code_lines=2, density=1.0, component_share=1.0, rank=1.0,
    )  # fmt: skip
    made = Deletion(
        feature=feature, form="removal", edits=EDITS,
        gold_paths=("calc/__init__.py", "calc/more.py") if not definitions else (),
        hidden_files=(HiddenFile("tests/test_more.py", 0o100644, HIDDEN),),
        hidden_tests=REACHED, retreats=(), collateral_lines=1,
    )  # fmt: skip
    return replace(made, **changes)


def environment(prefix: Path = Path("/nowhere")) -> Environment:
    """Return an environment that only a scripted sandbox can use."""
    return Environment(
        id="e" * 16, interpreter="3.13.0", prefix=prefix, home=prefix, lock=(), build=(),
        products=None, test_roots=(), runner="pytest",
    )  # fmt: skip


def this_environment() -> Environment:
    """Return the environment that these tests run in, which has pytest."""
    here = environment(Path(sys.prefix))
    version = ".".join(map(str, sys.version_info[:3]))
    return replace(here, home=Path(sys.base_prefix), interpreter=version)


# --- scripted runs -------------------------------------------------------------------------

Play = Callable[[TestId, Mapping[str, bytes]], Outcome]
"""What becomes of a test on a tree."""


def by_names(test: TestId, tree: Mapping[str, bytes]) -> Outcome:
    """Pass a test if every function that it calls returns what the original returns."""
    name = test.partition("::test_")[2].partition("_")[0]
    body = re.search(rf"def {name}\(.*\n    (.*)\n", b"\n".join(tree.values()).decode() + "\n")
    right = {"add": "return a + b", "mul": "return a * b", "neg": "return -a"}
    return "passed" if body and body[1] == right[name] else "failed"


@dataclass(slots=True)
class ScriptedPython:
    """The Python front-end as far as gates need it; `play` says what becomes of the tests."""

    play: Play = by_names
    collected: Callable[[Mapping[str, bytes]], tuple[TestId, ...]] | None = None
    collection_errors: Mapping[str, str] = field(default_factory=dict)
    import_failures: Mapping[str, str] = field(default_factory=dict)
    known_failures: Mapping[str, str] = field(default_factory=dict)
    imported: Path = Path()
    seeing: Mapping[str, frozenset[int]] | None = None
    requests: list[TestRequest] = field(default_factory=list)
    pool: tuple[Control, ...] = ()
    seen: list[Mapping[str, bytes]] = field(default_factory=list)

    @property
    def tree(self) -> Mapping[str, bytes]:
        return self.seen[-1]

    def test_command(
        self, environment: Environment, layers: tuple[Path, ...], request: TestRequest
    ) -> Command:
        self.requests.append(request)
        tree: dict[str, bytes] = {}
        for layer in reversed(layers):
            tree |= {path: trees.read(layer, path) for path in trees.files(layer)}
        self.seen.append(tree)
        return Command((), layers)

    def test_run(self, request: TestRequest, result: ExecResult) -> TestRun:
        source = {p: c for p, c in self.tree.items() if p.startswith("calc/")}
        found = self.collected(self.tree) if self.collected else _defined(self.tree)
        results = {}
        for test in found:
            if request.ids is None or test in request.ids:
                outcome = self.play(test, source)
                reason = "" if outcome == "passed" else "AssertionError: no"
                results[test] = TestResult(outcome, 0.01, reason)
                failures = sum(one.outcome != "passed" for one in results.values())
                if 0 < request.stop_after_failures <= failures:
                    break
        return TestRun(results, self.collection_errors, "finished", "", 0.1, 0.1)

    def warm_command(self, environment: Environment, trees: Path, seed: int) -> Command:
        return Command((), ())

    def lint(self, files: Mapping[str, bytes]) -> tuple[str, ...]:
        return lint.faults(files)

    def lint_tree(self, root: Path, paths: Collection[str]) -> tuple[str, ...]:
        return lint.ruff_faults(root, paths)

    def mutants(self, root: Path, deletion: Deletion, count: int, seed: int) -> tuple[Mutant, ...]:
        return mutate.mutants(root, deletion, count, seed)

    def trivial_solutions(
        self, root: Path, deletion: Deletion
    ) -> Mapping[str, Mapping[str, bytes]]:
        return trivial.trivial_solutions(root, deletion)

    def controls(
        self, hidden: Mapping[str, bytes], taken: Collection[str], f2p: Sequence[TestId], seed: int
    ) -> tuple[Control, ...]:
        return self.pool

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
        return Command((), layers)

    def readers(
        self, root: Path, before: bytes, after: bytes
    ) -> Mapping[str, frozenset[int]] | None:
        return self.seeing

    def importers(self, root: Path, changed: Collection[str]) -> tuple[str, ...]:
        self.imported = root
        return tuple(changed)

    def import_command(
        self, root: Path, environment: Environment, layers: tuple[Path, ...], paths: tuple[str, ...]
    ) -> Command:
        return Command((), layers)

    def import_faults(self, paths: Collection[str], result: ExecResult) -> Mapping[str, str]:
        return self.import_failures if self.imported.name == "task" else self.known_failures


def language(scripted: ScriptedPython) -> Language:
    """Return it as the whole front-end that it stands for."""
    return cast(Language, scripted)


class NoSandbox:
    """Runs nothing."""

    name = "none"

    def run(self, command: Command) -> ExecResult:
        return ExecResult(0, "exited", b"", b"", b"", 0.0, 0.0)

    def seen(self, command: Command) -> contextlib.nullcontext[tuple[Ground, ...]]:
        """Show nothing."""
        return contextlib.nullcontext(())

    def open(self, command: Command) -> None:
        """Return no session, so each run is in a process of its own."""


def _defined(tree: Mapping[str, bytes]) -> tuple[TestId, ...]:
    return tuple(
        TestId(f"{path}::{name}")
        for path, content in sorted(tree.items())
        if path.startswith("tests/")
        for name in re.findall(r"^def (test_\w+)", content.decode(), re.M)
    )
