"""What a linter holds against Python files: in process while planning, ruff at the gate.

A fault is told by kind and name, not by line, so that it can be compared with those that the
snapshot had before anything was cut.
"""

import ast
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyflakes.checker
import pyflakes.messages as messages

from featuredel.languages.python.source import parse

_KINDS: Mapping[type, str] = {
    messages.UndefinedName: "undefined name",
    messages.UndefinedExport: "undefined export",
    messages.UndefinedLocal: "undefined local",
    messages.UnusedImport: "unused import",
    messages.UnusedVariable: "unused variable",
    messages.RedefinedWhileUnused: "redefinition",
}


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that a linter holds against a file."""

    path: str
    line: int
    column: int
    kind: str
    name: str  # "" for a syntax error

    @property
    def told(self) -> str:
        """The fault without its line."""
        return f"{self.path}: {self.kind} {self.name}".rstrip()


def faults(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the faults of `files`, each as "path: kind name", sorted; repeated if met twice.

    A local that nothing reads is none: what gives its value may be called for what it does.
    """
    found = (fault for path in files for fault in _of_file(path, files[path]))
    return tuple(sorted(fault.told for fault in found if fault.kind != "unused variable"))


@lru_cache(maxsize=256)
def _of_file(path: str, source: bytes) -> tuple[Fault, ...]:
    """Return the faults of a file: the candidates of a repository have the same originals."""
    if not path.endswith((".py", ".pyi")):
        return ()
    tree = parse(source)
    return (Fault(path, 1, 0, "syntax error", ""),) if tree is None else tree_faults(path, tree)


def tree_faults(path: str, tree: ast.Module) -> tuple[Fault, ...]:
    """Return the faults of a parsed file."""
    checker = pyflakes.checker.Checker(tree, filename=path)
    found = (
        Fault(
            path, message.lineno, message.col, _KINDS[type(message)], str(message.message_args[0])
        )
        for message in checker.messages
        if type(message) in _KINDS
    )
    return tuple(sorted(found))


def new_faults(before: Iterable[Fault], after: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the faults of `after` whose kind and name `before` does not have."""
    known = {fault.told for fault in before}
    return tuple(fault for fault in after if fault.told not in known)


def ruff_faults(root: Path, paths: Collection[str]) -> tuple[str, ...]:
    """Return what ruff's F rules hold against files below `root`, as "path: code message", sorted.

    Reads no configuration of the tree and obeys none of its noqa comments' absence of reasons:
    what was silenced in the snapshot stays silenced.
    """
    chosen = sorted(path for path in paths if path.endswith((".py", ".pyi")))
    if not chosen:
        return ()
    command = [
        sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--quiet",
        "--select", "F", "--ignore", "F841", "--output-format", "concise", "--no-fix", *chosen,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return tuple(sorted(_without_line(line) for line in done.stdout.splitlines() if ":" in line))


def _without_line(told: str) -> str:
    path, _, rest = told.partition(":")
    message = rest.split(": ", 1)[-1]
    return f"{path}: {message}"
