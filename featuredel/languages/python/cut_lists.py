"""Take elements out of a bracketed list of libcst nodes, with their commas and comments.

Works on anything whose nodes carry a `comma`: elements of displays, arguments, base classes,
imported names, items of a `with`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

Whitespace = cst.BaseParenthesizableWhitespace


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left of a list, and what becomes of the whitespace inside its brackets."""

    nodes: tuple[Any, ...]
    opening: Whitespace | None = None  # stood after the last of the first nodes that have gone
    closing: Whitespace | None = None  # stood before the first of the last nodes that have gone
    shortened: bool = False  # the last node has gone

    def opened(self, bracket: Any) -> Any:
        """Return the opening bracket as it must be now."""
        return bracket.with_changes(whitespace_after=self.reopened(bracket.whitespace_after))

    def reopened(self, old: Whitespace) -> Whitespace:
        """Return the whitespace after the opening bracket: comments stay with what they tell of."""
        if isinstance(old, cst.ParenthesizedWhitespace) and isinstance(
            self.opening, cst.ParenthesizedWhitespace
        ):
            return old.with_changes(empty_lines=self.opening.empty_lines)
        return old

    def closed(self, bracket: Any) -> Any:
        """Return the closing bracket as it must be now."""
        return bracket.with_changes(whitespace_before=self.reclosed(bracket.whitespace_before))

    def reclosed(self, old: Whitespace) -> Whitespace:
        """Return the whitespace before the closing bracket."""
        if not self.shortened or not isinstance(old, cst.ParenthesizedWhitespace):
            return old
        if isinstance(self.closing, cst.ParenthesizedWhitespace):
            return old.with_changes(first_line=self.closing.first_line)
        return old.with_changes(first_line=_bare(old.first_line))


def without(nodes: Sequence[Any], gone: Callable[[int], bool]) -> Kept:
    """Return what is left of `nodes` without those whose position is `gone`."""
    kept: list[Any] = []
    opening: Whitespace | None = None
    closing: Whitespace | None = None
    for position, node in enumerate(nodes):
        if not gone(position):
            kept.append(node)
        elif kept:
            if position == len(nodes) - 1:
                closing = _after(kept[-1])
            kept[-1] = _inherit(kept[-1], node, last=position == len(nodes) - 1)
        else:
            opening = _after(node)
    return Kept(tuple(kept), opening, closing, bool(nodes) and gone(len(nodes) - 1))


def _after(node: Any) -> Whitespace | None:
    comma = node.comma
    return comma.whitespace_after if isinstance(comma, cst.Comma) else None


def _inherit(kept: Any, removed: Any, *, last: bool) -> Any:
    """Return `kept` with the comma that belongs where `removed` stood."""
    if last:
        changes = {"comma": removed.comma}
        if hasattr(kept, "whitespace_after_arg"):
            changes["whitespace_after_arg"] = removed.whitespace_after_arg
        return kept.with_changes(**changes)
    joined = _joined(_after(kept), _after(removed))
    return kept.with_changes(comma=kept.comma.with_changes(whitespace_after=joined))


def _joined(before: Whitespace | None, after: Whitespace | None) -> Whitespace | None:
    """Return the whitespace between two elements between which others have gone.

    A comment at the end of a line belongs to the element before it, comments on lines of their
    own to the element after them.
    """
    if isinstance(after, cst.ParenthesizedWhitespace):
        if isinstance(before, cst.ParenthesizedWhitespace):
            return after.with_changes(first_line=before.first_line)
        return after.with_changes(first_line=_bare(after.first_line))
    if isinstance(before, cst.ParenthesizedWhitespace):
        return before.with_changes(empty_lines=())
    return before


def _bare(line: cst.TrailingWhitespace) -> cst.TrailingWhitespace:
    return line.with_changes(comment=None, whitespace=cst.SimpleWhitespace(""))
