"""What was measured, kept as JSON, so that a benchmark that is stopped goes on where it was.

The key holds the code that did the measuring: what another version measured does not count.
"""

import dataclasses
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import featuredel

TELLING = ("bounds.py", "ratios.py", "report.py", "verdicts.py", "__main__.py")
"""Modules of the benchmark that measure nothing."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder of measurements. Rows are dataclasses of strings, numbers, lists and dicts."""

    folder: Path

    def row(self, kind: type[Row], name: str, key: object, measure: Callable[[], Row]) -> Row:
        """Return what was measured under this name and key, or else measure it now."""
        digest = hashlib.sha256(f"{fingerprint()} {name} {key!r}".encode(errors="surrogateescape"))
        file = self.folder / f"{name}-{digest.hexdigest()[:16]}.json"
        if file.exists():
            return kind(**json.loads(file.read_text()))
        row = measure()
        content: Any = dataclasses.asdict(row)  # type: ignore[call-overload]
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(".part")
        unfinished.write_text(json.dumps(content))
        unfinished.replace(file)
        return row


@cache
def fingerprint() -> str:
    """Return a hash of the code on which measurements depend."""
    own = (p for p in Path(__file__).parent.rglob("*.py") if p.name not in TELLING)
    digest = hashlib.sha256()
    for path in sorted([*own, *Path(featuredel.__file__).parent.rglob("*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()
