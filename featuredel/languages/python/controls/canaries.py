"""Canaries: tests of nothing, of which it is known whether they pass."""

import random
import re
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

from featuredel.languages.python.controls import drawn
from featuredel.languages.python.source import parse
from featuredel.model import CANARY_FAILS, CANARY_PASSES, Control, TestId
from featuredel.patches import new_file_patch, splice_patch

_NAME = re.compile(rb"^[ \t]*(?:async +)?def +(test_\w+)", re.MULTILINE)

EACH = 3
"""Canaries of each kind in a file, and files that hold one."""


def canaries(
    path: str, source: bytes, taken: Collection[str], chance: random.Random
) -> Iterator[Control]:
    """Yield canaries at the end of a test file, and in files next to it; `taken` are paths."""
    names = _Names(source, chance)
    fits = source.endswith(b"\n") and b"\r" not in source
    for number in range(2 * EACH):
        kind = (CANARY_PASSES, CANARY_FAILS)[number % 2]
        name = names.new()
        added = b"\n\n" + _function(name, chance, holds=kind == CANARY_PASSES)
        if fits and parse(source + added) is not None:
            patch = splice_patch(path, source, [(len(source), len(source), added)])
            yield Control(kind, path, patch, (TestId(f"{path}::{name}"),))
    # two modules of one name may keep each other from being imported
    modules = {PurePosixPath(other).name for other in taken}
    for kind in (CANARY_PASSES, CANARY_FAILS):
        module = f"{names.new()}.py"
        if module not in modules:
            other, name = str(PurePosixPath(path).with_name(module)), names.new()
            content = _function(name, chance, holds=kind == CANARY_PASSES)
            patch = new_file_patch(other, content)
            yield Control(kind, other, patch, (TestId(f"{other}::{name}"),))


class _Names:
    """Names as a file's tests have them: one of theirs, with a word of another in it."""

    def __init__(self, source: bytes, chance: random.Random) -> None:
        self.known = sorted({found.decode() for found in _NAME.findall(source)})
        self.words = sorted({word for name in self.known for word in name.split("_")[1:] if word})
        self.text, self.chance = source.decode(errors="replace"), chance
        self.given: set[str] = set()

    def new(self) -> str:
        """Return a name that nothing in the file has."""
        while True:
            for name in (self._like_theirs(), drawn.name(self.chance)):
                if name not in self.text and name not in self.given:
                    self.given.add(name)
                    return name

    def _like_theirs(self) -> str:
        parts = (self.chance.choice(self.known) if self.known else "test_").split("_")
        place = self.chance.randrange(1, len(parts))
        parts[place] = self.chance.choice(self.words) if self.words else ""
        return "_".join(parts)


def _function(name: str, chance: random.Random, *, holds: bool) -> bytes:
    lines = [drawn.assertion(chance, holds=True) for _ in range(chance.randint(0, 2))]
    lines.append(drawn.assertion(chance, holds=holds))
    return f"def {name}():\n{''.join(f'    {line}' + chr(10) for line in lines)}".encode()
