"""Which tests name what is deleted, or tell of it."""

import ast
import re
from collections.abc import Collection
from pathlib import Path

from featuredel.languages.python.gold import GoldFile
from featuredel.languages.python.needs import gold_words, remaining_text, removed_lines
from featuredel.languages.python.vocabulary import identifiers
from featuredel.model import Deletion, TestId

_MIN_WORD = 4
"""Shorter words stand for too much."""


def names_deleted(root: Path, deletion: Deletion, tests: Collection[TestId]) -> frozenset[TestId]:
    """Return those of `tests` whose function names a deleted definition; in doubt, they do."""
    return _using(root, {_name(d) for d in deletion.feature.definitions}, tests)


def tell_of(root: Path, deletion: Deletion, tests: Collection[TestId]) -> frozenset[TestId]:
    """Return those of `tests` whose function tells what is deleted.

    It names a definition, or uses a word that of the source only what is deleted holds: an
    option, a key, a name.
    """
    gold = gold_words(root, removed_lines(root, deletion))
    beside = {test.partition("::")[0] for test in tests}
    beside.update(file.path for file in deletion.hidden_files)
    left = remaining_text(root, deletion, beside)
    known = identifiers(left)
    names = {name for name in gold.names if len(name) >= _MIN_WORD and name not in known}
    texts = {text for text in gold.pieces if len(text) >= _MIN_WORD and text not in left}
    return _using(root, names | texts, tests) | names_deleted(root, deletion, tests)


def _using(root: Path, words: Collection[str], tests: Collection[TestId]) -> frozenset[TestId]:
    if not words:
        return frozenset()
    found = b"|".join(re.escape(word.encode()) for word in sorted(words))
    pattern = re.compile(rb"(?<!\w)(?:" + found + rb")(?!\w)")
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
