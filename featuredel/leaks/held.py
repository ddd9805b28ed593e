"""What a solver rightly knows of a deleted text, and where it would be known by no right.

A needle that the statement, the remaining tree or the base shows is no secret: `self.assertEqual`
and `import json` are everywhere. But a vendored copy of the project would make every needle
common. So a place is first held against the deleted code: if it shows most of it, or many tokens
of it in a row, it does not happen to say the same, it has the answer.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from featuredel import trees
from featuredel.leaks.base import Base
from featuredel.leaks.index import number_of
from featuredel.leaks.matcher import Matcher
from featuredel.leaks.needle import Needle, Needles
from featuredel.leaks.needles import K, candidates_of, grams, runs
from featuredel.leaks.paths import rule
from featuredel.leaks.scan import digest
from featuredel.leaks.tokens import is_prose
from featuredel.leaks.views.view import is_text

IN_A_ROW = 60
"""So many tokens in a row, some eight lines, are written twice by nobody."""

SHARE = 0.5
"""What shows this share of the k-grams of the deleted code has it, be it in another order."""

ENOUGH = 20
"""K-grams that are needed to speak of a share."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A place that has the deleted code."""

    where: str
    shown: int  # k-grams of the deleted code
    of: int
    in_a_row: int  # tokens

    def __str__(self) -> str:
        """Say it in a line."""
        share = f"{self.shown} of {self.of} k-grams of it"
        return f"{self.where} has {share}, {self.in_a_row} tokens in a row"


@dataclass(frozen=True, slots=True)
class Secrets:
    """The needles of a deletion that neither base nor tree show, and what was made of the rest."""

    needles: Needles
    candidates: int
    in_base: int
    in_tree: int
    copies: tuple[Copy, ...]
    held: frozenset[str]  # sha256 of each file of the tree whose text counts as known

    def without(self, texts: Iterable[str]) -> "Secrets":
        """Return the same for a solver who has read these texts."""
        matcher = Matcher(self.needles)
        shown = {n for text in texts for n in matcher.seen(text.encode(errors="replace"))}
        left = tuple(needle for needle in self.needles.secret if needle not in shown)
        return replace(self, needles=Needles(left))


def secrets_of(deleted: Mapping[str, str], tree: Path, base: Base | None = None) -> Secrets:
    """Return what of `deleted`, the removed text by path, is a secret from who has these."""
    every = candidates_of(deleted)
    copies = []
    common: set[Needle] = set()
    if base is not None:
        common = {needle for needle in every if base.shows(number_of(needle))}
        alike = _alike("the base", deleted, common.__contains__)
        # twins in a tree are the project's own; nothing in the base is
        if alike and (_is_most(alike) or alike.in_a_row >= IN_A_ROW):
            copies.append(alike)
    left = Needles(tuple(needle for needle in every if needle not in common))
    matcher, whole = Matcher(left), Matcher(Needles(every))
    shown: set[Needle] = set()
    held = set()
    for path in trees.files(tree):
        content = trees.read(tree, path)
        if (tree / path).is_symlink() or not is_text(content) or is_made(path):
            continue
        seen = set(matcher.seen(content))
        if any(needle.kind == "kgram" for needle in seen):
            alike = _alike(path, deleted, set(whole.seen(content)).__contains__)
            if alike and _is_most(alike):
                copies.append(alike)
                continue
        shown |= seen
        held.add(digest(content))
    secret = tuple(needle for needle in left.secret if needle not in shown)
    return Secrets(
        Needles(secret), len(every), len(common), len(shown), tuple(copies), frozenset(held)
    )


def is_made(path: str) -> bool:
    """Return whether a file of a tree was made from others, so that its text is not held by right.

    What a source archive brings along of its own making still tells of what was there when it
    was made.
    """
    folder, _, name = f"/{path}".rpartition("/")
    return name == "PKG-INFO" or folder.endswith(".egg-info") or rule(path) is not None


def _is_most(alike: Copy) -> bool:
    return alike.shown >= ENOUGH and alike.shown >= SHARE * alike.of


def _alike(where: str, deleted: Mapping[str, str], shows: Callable[[Needle], bool]) -> Copy | None:
    """Return how much of the deleted code a place shows; None if no k-gram of it."""
    shown = of = longest = 0
    for path, text in deleted.items():
        if is_prose(path):
            continue
        for run in runs(path, text):
            row = 0
            for gram in grams(run):
                is_shown = shows(Needle("kgram", " ".join(gram)))
                row = row + 1 if is_shown else 0
                longest = max(longest, row)
                shown += is_shown
                of += 1
    return Copy(where, shown, of, longest + K - 1) if shown else None
