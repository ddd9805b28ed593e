"""What can be cut out of a source file: a place, and what is done to the node there."""

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
