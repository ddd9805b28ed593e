"""Take statements out of a block: which comments go with them, which blank lines stay."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

Lines = tuple[cst.EmptyLine, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """One statement of a block, and what stands in its place now (nothing: it is removed)."""

    before: Any
    after: Sequence[Any]


@dataclass(slots=True)
class _Rebuilt:
    body: list[Any] = field(default_factory=list)
    pending: Lines = ()  # comments and blank lines left over from removed statements
    removed: Any = None  # the last statement removed since one was kept


def rebuild(slots: Iterable[Slot]) -> tuple[list[Any], Lines]:
    """Return the statements of the block, and comments left over for its end.

    Comments directly above a removed statement go with it; a comment block that a blank line
    separates from it stays.
    """
    state = _Rebuilt()
    for slot in slots:
        if not slot.after:
            state.pending = _left_over(state, slot.before)
            state.removed = slot.before
            continue
        first, *others = slot.after
        if state.removed is not None:
            first = _with_leading(first, _bridged(state, first))
        state.body += [first, *others]
        state.pending, state.removed = (), None
    return state.body, state.pending if any(line.comment for line in state.pending) else ()


def leading(statement: Any) -> Lines:
    """Return the comment and blank lines above a statement."""
    return tuple(getattr(statement, "leading_lines", ()))


def _with_leading(statement: Any, lines: Lines) -> Any:
    return statement.with_changes(leading_lines=lines)


def _left_over(state: _Rebuilt, removed: Any) -> Lines:
    lines = _above(leading(removed))
    if state.removed is None:
        return lines
    return _merged(state.pending, lines, _wider)


def _above(lines: Lines) -> Lines:
    """Return `lines` without the comments that touch the statement below them."""
    end = len(lines)
    while end and lines[end - 1].comment:
        end -= 1
    return lines[:end]


def _bridged(state: _Rebuilt, following: Any) -> Lines:
    """Return the lines above the statement that follows a gap."""
    if not state.body:  # the first of its block stands where the removed one stood
        return _merged(state.pending, leading(following), lambda one, _: one)
    calm = not any(isinstance(node, _SPACED) for node in (state.body[-1], following))
    if isinstance(state.removed, _SPACED) and calm:
        return _merged(state.pending, leading(following), _narrower)
    return _merged(state.pending, leading(following), _wider)


_SPACED = (cst.FunctionDef, cst.ClassDef)


def _wider(one: Lines, other: Lines) -> Lines:
    return one if len(one) >= len(other) else other


def _narrower(one: Lines, other: Lines) -> Lines:
    return one if len(one) <= len(other) else other


def _merged(one: Lines, other: Lines, choose: Any) -> Lines:
    """Return both, with the blank lines between them chosen instead of added up."""
    split = len(one)
    while split and not one[split - 1].comment:
        split -= 1
    start = 0
    while start < len(other) and not other[start].comment:
        start += 1
    blank = choose(one[split:], other[:start])
    return one[:split] + tuple(blank) + other[start:]
