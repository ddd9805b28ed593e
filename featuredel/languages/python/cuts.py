"""What can be cut out of a source file: a place, and what is done to the node there."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Action = Literal[
    "statement",  # a statement goes; the place is that of the statement
    "element",  # of a display, call, class header, `with` or `del`; the place is that of the value
    "alias",  # a name of an import
    "decorator",
    "handler",  # an except clause; without any left, the body stands alone
    "case",  # an arm of a match; the place is that of its pattern
    "body",  # an `if` gives way to its else part
    "else",  # an `if` or loop loses its else part
    "unwrap",  # an `if` or `with` gives way to its body
    "annotation",  # of a parameter, a return value or an assignment; the place is the annotation's
    "unbind",  # an assignment, except clause or, at its value's place, `with` item binds no name
    "replace",  # the expression from the place to `end` becomes `text`
    "stub",  # a function keeps its signature and docstring and raises NotImplementedError
]
"""What a cut does. Places are where `ast` says that the node begins."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, order=True)
class Cut:
    """One piece to take out of the file at `path`. Columns count UTF-8 bytes, as in ast."""

    path: str
    line: int
    column: int
    action: Action
    end: Place = (0, 0)
    text: str = ""

    @property
    def place(self) -> Place:
        """Where the node begins."""
        return (self.line, self.column)


class Marks:
    """Where cuts of one file lie, as a walk through its nodes asks for them."""

    def __init__(self, cuts: Iterable[Cut]) -> None:
        self._places: dict[Action, set[Place]] = {}
        self._texts: dict[tuple[Place, Place], str] = {}
        for cut in cuts:
            self._places.setdefault(cut.action, set()).add(cut.place)
            if cut.action == "replace":
                self._texts[cut.place, cut.end] = cut.text
        self._lines = {line for places in self._places.values() for line, _ in places}

    def has(self, action: Action) -> bool:
        """Tell whether there is any cut of this kind."""
        return action in self._places

    def at(self, action: Action, place: Place) -> bool:
        """Tell whether the node that begins there is cut in this way."""
        return place in self._places.get(action, ())

    def text(self, start: Place, end: Place) -> str | None:
        """Return what an expression is replaced by; None if it stays."""
        return self._texts.get((start, end))

    def within(self, first: int, last: int) -> bool:
        """Tell whether a cut begins on one of these lines."""
        return any(first <= line <= last for line in self._lines)
