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
"""Of the base, what shows this share of the k-grams that were deleted from a file has them."""

SHARE_OF_TWINS = 0.8
"""Of the tree, this share. Classes of a project that are made alike, of which one is deleted and
one stays, come to two thirds; a copy comes to all."""

ENOUGH = 20
"""K-grams that are needed to speak of a share."""


@dataclass(frozen=True, slots=True)
class Copy:
    """How much of the code that was deleted from a file stands in another place."""

    where: str
    path: str  # of the file
    shown: int  # k-grams of the deleted code
    of: int
    in_a_row: int  # tokens

    def is_share(self, share: float) -> bool:
        """Return whether it is at least this share, of enough to speak of one."""
        return self.shown >= ENOUGH and self.shown >= share * self.of

    def __str__(self) -> str:
        """Say it in a line."""
        share = f"{self.shown} of {self.of} k-grams of {self.path}"
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
        copies += [c for c in alike if c.is_share(SHARE) or c.in_a_row >= IN_A_ROW]
    left = Needles(tuple(needle for needle in every if needle not in common))
    matcher, whole = Matcher(left), Matcher(Needles(every))
    paths = [path for path in trees.files(tree) if not is_made(path)]
    shown = set(matcher.seen("\n".join(paths).encode(errors="replace")))
    held = set()
    for path in paths:
        content = trees.read(tree, path)
        if (tree / path).is_symlink() or not is_text(content):
            continue
        seen = set(matcher.seen(content))
        if any(needle.kind == "kgram" for needle in seen):
            alike = _alike(path, deleted, set(whole.seen(content)).__contains__)
            if found := [c for c in alike if c.is_share(SHARE_OF_TWINS)]:
                copies += found
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


def _alike(where: str, deleted: Mapping[str, str], shows: Callable[[Needle], bool]) -> list[Copy]:
    """Return, by file that it was deleted from, how much of the code a place shows."""
    found: dict[str, Copy] = {}
    for key, text in deleted.items():
        if is_prose(key):
            continue
        path = key.partition("/")[2]
        before = found.get(path, Copy(where, path, 0, 0, 0))
        shown, of, longest = before.shown, before.of, before.in_a_row
        for run in runs(path, text):
            row = 0
            for gram in grams(run):
                is_shown = shows(Needle("kgram", " ".join(gram)))
                row = row + 1 if is_shown else 0
                longest = max(longest, row + K - 1 if row else 0)
                shown += is_shown
                of += 1
        found[path] = Copy(where, path, shown, of, longest)
    return list(found.values())
