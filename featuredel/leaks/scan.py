"""Scanning files and directories for needles, through every view."""

import hashlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from featuredel.leaks import paths
from featuredel.leaks.bounds import Bounds, Budget
from featuredel.leaks.expand import expand
from featuredel.leaks.finding import Finding, FindingKind, Scan
from featuredel.leaks.matcher import Matcher
from featuredel.leaks.needles import Needle, Needles
from featuredel.leaks.views.view import Content, View
from featuredel.leaks.walk import walk

__all__ = ["Base", "Finding", "FindingKind", "Scan", "scan", "views_of"]

WINDOW_BYTES = 8 << 20
OVERLAP_BYTES = 64 << 10
"""Content is searched in windows, which overlap by more than the longest needle."""

MOST_OF_A_FILE = 50
"""So many findings of one file tell what there is to tell."""


class Base(Protocol):
    """What was scanned before and is the same for many tasks."""

    def holds(self, digest: str) -> bool:
        """Return whether content with this sha256 (hexadecimal) is part of it."""


def scan(
    roots: Sequence[Path],
    needles: Needles,
    *,
    base: Base | None = None,
    bounds: Bounds = Bounds(),  # noqa: B008 -- frozen
    path_rules: bool = True,
) -> Scan:
    """Look for `needles` in every view of every file under `roots`.

    Files that `base` holds are not read again, only their names. What is not looked into is among
    the findings: nothing is passed over in silence.
    """
    matcher = Matcher(needles)
    findings: dict[Finding, None] = {}
    of_file = files = views = size_bytes = 0
    for item in views_of(roots, base=base, bounds=bounds):
        if isinstance(item, Finding):
            findings[item] = None
            continue
        views += 1
        size_bytes += len(item.content)
        if item.name == "names":
            files += 1
            of_file = 0
            if path_rules and (rule := paths.rule(item.where)):
                findings[Finding(item.where, "names", "path", "", rule)] = None
        if of_file >= MOST_OF_A_FILE:
            continue
        for needle in search(matcher, item.content):
            found = Finding(item.where, item.name, "content", _shown(needle), needle.kind)
            if found not in findings:
                findings[found] = None
                of_file += 1
    return Scan(tuple(findings), files, views, size_bytes)


def views_of(
    roots: Sequence[Path],
    *,
    base: Base | None = None,
    bounds: Bounds = Bounds(),  # noqa: B008 -- frozen
) -> Iterator[View | Finding]:
    """Yield every view of every file under `roots`, and a finding for what cannot be looked into.

    Of a file that `base` holds only the name.
    """
    ends_at = time.monotonic() + bounds.total_s
    for item in walk(roots, bounds):
        if isinstance(item, Finding) or not item.deeper:
            yield item
        elif base is None or not base.holds(digest(item.content)):
            yield from expand(item, Budget(bounds, len(item.content), ends_at))


def search(matcher: Matcher, content: Content) -> Iterator[Needle]:
    """Yield the needles in some content; those in the overlap of two windows may come twice."""
    if isinstance(content, bytes) and len(content) <= WINDOW_BYTES:
        yield from matcher.find(content)
        return
    for start in range(0, len(content), WINDOW_BYTES - OVERLAP_BYTES):
        yield from matcher.find(content[start : start + WINDOW_BYTES])


def digest(content: Content) -> str:
    """Return the sha256 of some content, hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _shown(needle: Needle) -> str:
    return needle.text if len(needle.text) <= 80 else f"{needle.text[:77]}..."
