"""Canaries: tests of nothing, of which it is known whether they pass."""

import random
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from featuredel.languages.python.controls import drawn
from featuredel.languages.python.source import parse
from featuredel.model import CANARY_FAILS, CANARY_PASSES, Control, TestId
from featuredel.patches import new_file_patch, splice_patch

EACH = 3
"""Canaries of each kind in a file, and files that hold one."""


def canaries(
    path: str, source: bytes, taken: Collection[str], chance: random.Random
) -> Iterator[Control]:
    """Yield canaries at the end of a test file, and in files next to it; `taken` are paths."""
    names: set[str] = set()
    for number in range(2 * EACH):
        kind = (CANARY_PASSES, CANARY_FAILS)[number % 2]
        name = drawn.name(chance)
        function = _function(name, chance, holds=kind == CANARY_PASSES)
        added = b"\n\n" + function
        new = name.encode() not in source and name not in names
        fits = source.endswith(b"\n") and b"\r" not in source
        if new and fits and parse(source + added) is not None:
            patch = splice_patch(path, source, [(len(source), len(source), added)])
            yield Control(kind, path, patch, (TestId(f"{path}::{name}"),))
        names.add(name)
    for kind in (CANARY_PASSES, CANARY_FAILS):
        other = str(PurePosixPath(path).with_name(f"{drawn.name(chance)}.py"))
        name = drawn.name(chance)
        if other not in taken:
            content = _function(name, chance, holds=kind == CANARY_PASSES)
            patch = new_file_patch(other, content)
            yield Control(kind, other, patch, (TestId(f"{other}::{name}"),))


def _function(name: str, chance: random.Random, *, holds: bool) -> bytes:
    lines = [drawn.assertion(chance, holds=True) for _ in range(chance.randint(0, 2))]
    lines.append(drawn.assertion(chance, holds=holds))
    return f"def {name}():\n{''.join(f'    {line}' + chr(10) for line in lines)}".encode()
