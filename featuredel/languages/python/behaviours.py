"""What the tests' names, docstrings and shortest assertions say about a feature."""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from featuredel.languages.python.examples import Bindings, bindings_of, standing_alone
from featuredel.languages.python.gold import Function
from featuredel.languages.python.interface import module_name
from featuredel.languages.python.vocabulary import words_of
from featuredel.model import Deletion, TestId

_MAX_EXAMPLE_LINES = 8
_CASE = re.compile(r"\[.*\]$", re.DOTALL)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One test function among F2P."""

    text: str  # its docstring's first line, else its name in words
    example: str | None  # its body, where that can be read by itself
    lines: int  # of the body
    names: frozenset[str]
    asserts: bool  # whether it holds a plain assertion


def behaviours(root: Path, deletion: Deletion, f2p: Collection[TestId]) -> tuple[Behaviour, ...]:
    """Return the F2P test functions, each once, in the order of their files."""
    wanted = {_CASE.sub("", test) for test in f2p}
    found: list[Behaviour] = []
    for file in deletion.hidden_files:
        if file.path.endswith(".py"):
            tree = ast.parse((root / file.path).read_bytes())  # without placeholders
            around = bindings_of(tree, module_name(root, file.path))
            found += (
                _behaviour(node, prefix, around)
                for name, prefix, node in _functions(tree, "")
                if f"{file.path}::{name}" in wanted
            )
    return tuple(found)


def examples(found: Collection[Behaviour], names: Collection[str], count: int) -> tuple[str, ...]:
    """Return the shortest tests that use any of `names`, assert something and need no more."""
    wanted = frozenset(names)
    fitting = {
        b.example
        for b in found
        if b.example and b.asserts and b.lines <= _MAX_EXAMPLE_LINES
        and (b.names & wanted or not wanted)
    }  # fmt: skip
    return tuple(sorted(fitting, key=lambda text: (len(text), text))[:count])


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, str, Function]]:
    for child in getattr(node, "body", []):
        if isinstance(child, Function):
            yield prefix + child.name, prefix, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}::")


def _behaviour(node: Function, prefix: str, around: Bindings) -> Behaviour:
    doc = (ast.get_docstring(node) or "").strip().split("\n\n")[0].replace("\n", " ")
    body = node.body[1:] if ast.get_docstring(node) else node.body
    source = "\n".join(ast.unparse(statement) for statement in body)
    asserts = any(isinstance(inner, ast.Assert) for inner in ast.walk(node)) or "assert" in source
    words = f"{_in_words(prefix)}: {_in_words(node.name)}" if prefix else _in_words(node.name)
    return Behaviour(
        " ".join(doc.split()) or words, standing_alone(node, around), source.count("\n") + 1,
        words_of(node).names, asserts,
    )  # fmt: skip


def _in_words(name: str) -> str:
    """Turn `TestParser::` or `test_strict_mode` into "parser", "strict mode"."""
    bare = re.sub(r"^(test_?|Test)|(Tests?|TestCase)?(::)?$", "", name)
    return _CAMEL.sub(" ", bare).replace("_", " ").strip().lower() or name.strip(":_")
