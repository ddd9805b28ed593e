"""Which tests name what is deleted."""

import ast
import re
from collections.abc import Collection
from pathlib import Path

from featuredel.languages.python.gold import GoldFile
from featuredel.model import Deletion, TestId


def names_deleted(root: Path, deletion: Deletion, tests: Collection[TestId]) -> frozenset[TestId]:
    """Return those of `tests` whose function names a deleted definition; in doubt, they do."""
    names = {_name(definition) for definition in deletion.feature.definitions}
    pattern = re.compile(
        rb"\b(" + rb"|".join(re.escape(n.encode()) for n in sorted(names)) + rb")\b"
    )
    files = {path: _parsed(root, path) for path in {test.partition("::")[0] for test in tests}}
    return frozenset(
        test
        for test in tests
        if any(pattern.search(text) for text in _texts(files[test.partition("::")[0]], test))
    )


def _name(definition: str) -> str:
    path, _, qualname = definition.partition("::")
    if qualname:
        return qualname.rpartition(".")[2]
    stem = Path(path).stem
    return Path(path).parent.name if stem == "__init__" else stem


def _parsed(root: Path, path: str) -> GoldFile | None:
    try:
        return GoldFile(path, (root / path).read_bytes(), ())
    except (SyntaxError, ValueError, OSError):
        return None


def _texts(file: GoldFile | None, test: TestId) -> list[bytes]:
    """Return the text of a test's function; all of its file where that is not found."""
    if file is None:
        return []
    qualname = test.partition("::")[2].partition("[")[0].replace("::", ".")
    nodes = file.definitions.get(qualname)
    if not nodes:
        return [file.bytes]
    return [file.text(node) for node in nodes if isinstance(node, ast.stmt)]
