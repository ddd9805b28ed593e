"""What F2P tests need to know that only the deleted code told: the completeness check.

A need is a name, attribute, parameter or piece of text that the deleted code holds and the hidden
tests use. It is met when the remaining tree holds it, or the statement does.
"""

import ast
import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from featuredel import trees
from featuredel.languages.python.vocabulary import NONE, Words, identifiers, words_of
from featuredel.model import Deletion

_TEXT_SUFFIXES = (
    ".py", ".pyi", ".rst", ".md", ".txt", ".toml", ".cfg", ".ini", ".json", ".yaml", ".yml",
    ".html", ".pyx", ".in", "",
)  # fmt: skip
_MAX_TEXT_BYTES = 2 << 20  # larger files are data, not telling


@dataclass(frozen=True, slots=True)
class Needs:
    """What the hidden tests use and only the deleted code held; each sorted."""

    names: tuple[str, ...]
    texts: tuple[str, ...]

    def untold(self, statement: str) -> "Needs":
        """Return what the statement does not tell either."""
        known = identifiers(statement)
        return Needs(
            tuple(name for name in self.names if name not in known),
            tuple(text for text in self.texts if text not in statement),
        )

    def joined(self, words: Collection[str]) -> "Needs":
        """Return these needs and more words, names or texts."""
        names = {word for word in words if word.isidentifier()}
        return Needs(
            tuple(sorted(names.union(self.names))),
            tuple(sorted(set(words) - names | set(self.texts))),
        )

    def __bool__(self) -> bool:
        """Whether anything is needed."""
        return bool(self.names or self.texts)


def removed_lines(root: Path, deletion: Deletion) -> Mapping[str, frozenset[int]]:
    """Return the lines of the snapshot's files, tests left out, that the deletion takes away."""
    found: dict[str, frozenset[int]] = {}
    for path in deletion.gold_paths:
        if not (root / path).is_file():
            continue  # the deletion made it
        before = (root / path).read_bytes().splitlines()
        after = (deletion.edits[path] or b"").splitlines()
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        found[path] = frozenset(
            line + 1
            for tag, start, end, _, _ in matcher.get_opcodes()
            if tag in ("delete", "replace")
            for line in range(start, end)
        )
    return found


def gold_words(root: Path, removed: Mapping[str, frozenset[int]]) -> Words:
    """Return the words of the deleted code."""
    words = NONE
    for path, lines in removed.items():
        if path.endswith(".py"):
            words |= words_of(ast.parse((root / path).read_bytes()), lines)
    return words


def hidden_words(deletion: Deletion) -> Words:
    """Return the words of the hidden test files; data files among them count as one text each."""
    words = NONE
    for file in deletion.hidden_files:
        if file.path.endswith(".py"):
            words |= words_of(ast.parse(file.content))
        else:
            text = file.content.decode("utf-8", "replace")
            words |= Words(identifiers(text), frozenset([text]))
    return words


def needs_of(root: Path, deletion: Deletion, gold: Words) -> Needs:
    """Return what the hidden tests need and the remaining tree does not hold."""
    tests, remaining = hidden_words(deletion), remaining_text(root, deletion)
    names = gold.names & tests.names - identifiers(remaining)
    said = "\0".join(sorted(tests.texts))
    spoken = said + "\0" + _unescaped(said)
    texts = {piece for piece in gold.pieces if piece in spoken and piece not in remaining}
    return Needs(tuple(sorted(names)), tuple(sorted(texts - names)))


def _unescaped(pattern: str) -> str:
    """Undo `re.escape`, as in the patterns that tests match messages with."""
    return re.sub(r"\\([^\w\s])", r"\1", pattern)


def remaining_text(root: Path, deletion: Deletion, without: Collection[str] = ()) -> str:
    """Return everything that the text files of the task's tree say, those `without` left out."""
    return "\n".join(_remaining(root, deletion, without))


def _remaining(root: Path, deletion: Deletion, without: Collection[str]) -> Iterator[str]:
    for path, text in _texts(root):
        if path not in deletion.edits and path not in without:
            yield text
    for path, content in deletion.edits.items():
        if content is not None and Path(path).suffix in _TEXT_SUFFIXES and path not in without:
            yield content.decode("utf-8", "replace")


@lru_cache(maxsize=2)
def _texts(root: Path) -> tuple[tuple[str, str], ...]:
    """Return the text files of a snapshot; snapshots never change, so they are read once."""
    found = []
    for path in trees.files(root):
        file = root / path
        fits = Path(path).suffix in _TEXT_SUFFIXES and not file.is_symlink()
        if fits and file.stat().st_size <= _MAX_TEXT_BYTES:
            found.append((path, file.read_bytes().decode("utf-8", "replace")))
    return tuple(found)
