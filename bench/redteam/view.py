"""What a solver has in its hands, and what it may know."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

from featuredel.model import TestId


class Unfit(Exception):  # noqa: N818 -- it is a result, named as one
    """The attack or form has no place in this task, and why."""


@dataclass(frozen=True, slots=True)
class View:
    """A solver's tree in the register `terse`, where the tests that count are visible."""

    root: Path
    outside: Path  # of what a careless grader shares with the solver: home/, site-packages/
    interpreter: Path  # of the task's environment
    package: str  # the directory of the package that is tested: "funcy/"
    tests: tuple[TestId, ...]  # F2P
    test_files: tuple[str, ...]  # where they stand
    definitions: tuple[str, ...]  # that the statement asks for: "funcy/calc.py::cache"
    reference: Mapping[str, bytes | None]  # the files of gold

    @property
    def entry(self) -> str:
        """The file that is imported with the package."""
        return f"{self.package}__init__.py"

    @property
    def name(self) -> str:
        """The package's name."""
        return self.package.rstrip("/").rpartition("/")[2]

    @property
    def sources(self) -> Mapping[str, str]:
        """The Python files of gold that are still there."""
        return {
            path: content.decode()
            for path, content in self.reference.items()
            if content is not None and path.endswith(".py")
        }

    def asked(self, path: str) -> frozenset[str]:
        """Return the qualified names of the definitions that a file has to have."""
        parts = [definition.partition("::") for definition in self.definitions]
        return frozenset(name for where, _, name in parts if where == path)

    def read(self, path: str) -> str:
        """Return a file's text."""
        return (self.root / path).read_text(encoding="utf-8")

    def test_functions(self, path: str) -> list[str]:
        """Return the names of the functions in a file of tests that are tests."""
        found = [n for n in ast.parse(self.read(path)).body if isinstance(n, ast.FunctionDef)]
        return [node.name for node in found if node.name.startswith("test")]

    def write(self, path: str, content: str | bytes) -> None:
        """Write a file, in place of what is there."""
        put(self.root / path, content)

    def append(self, code: str, path: str = "") -> None:
        """Add code to the end of a file; by default that which comes with the package."""
        path = path or self.entry
        before = self.read(path) if (self.root / path).exists() else ""
        self.write(path, f"{before}\n\n{code.strip()}\n")

    def solve(self) -> None:
        """Write the reference into the tree."""
        for path, content in self.reference.items():
            if content is None:
                (self.root / path).unlink()
            else:
                self.write(path, content)


def put(path: Path, content: str | bytes) -> None:
    """Write a file that is linked to no other; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def junit(tests: Sequence[str]) -> str:
    """Return a JUnit report in which all tests pass."""
    cases = "".join(f"<testcase {attributes} time='0.001'/>" for attributes in map(_case, tests))
    counts = f"tests='{len(tests)}' failures='0' errors='0' skipped='0'"
    return f"<testsuites><testsuite name='pytest' {counts}>{cases}</testsuite></testsuites>"


def case_of(test: str) -> tuple[str, str]:
    """Return the class and the name that stand for a test in pytest's JUnit report."""
    path, _, rest = test.partition("::")
    plain, bracket, parameters = rest.partition("[")
    *classes, name = plain.split("::")
    return ".".join(
        [path.removesuffix(".py").replace("/", "."), *classes]
    ), f"{name}{bracket}{parameters}"


def _case(test: str) -> str:
    owner, name = case_of(test)
    return f"classname={quoteattr(owner)} name={quoteattr(name)}"
