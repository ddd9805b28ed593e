"""The acts that rules look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

How = Literal["read", "search", "list", "write", "edit", "delete", "mode", "link"]


@dataclass(frozen=True, slots=True)
class Program:
    """A command as it comes to be run, without what is wrapped round it."""

    argv: tuple[str, ...]  # the first is the bare name: "git", not "/usr/bin/git"
    text: str  # as it is written, wrappers and all
    cwd: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)  # given to it alone
    stdin: str | None = None
    wrappers: frozenset[str] = frozenset()  # names of the programs around it
    background: bool = False
    looped: bool = False

    @property
    def name(self) -> str:
        """Return the program's name, "" for a line that only assigns or redirects."""
        return self.argv[0] if self.argv else ""


@dataclass(frozen=True, slots=True)
class Touch:
    """A file or folder that is read, changed or looked for; a path may be a pattern."""

    path: str  # absolute where the folder is known
    how: How
    by: str  # the program or function
    text: str
    new: str | None = None  # what is written, as far as it is known
    old: str | None = None  # what that replaces; None: unknown, or the whole file
    pattern: str = ""  # what is searched for in it


@dataclass(frozen=True, slots=True)
class Reach:
    """A host, address or search query that the step goes to."""

    where: str
    by: str
    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """A call in Python code that the step runs, by its full dotted name."""

    name: str
    arguments: tuple[str | None, ...]  # positional, folded to text where that can be done
    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """Python code that the step runs (and does not only write)."""

    text: str


@dataclass(frozen=True, slots=True)
class Nested:
    """A command, or Python code, within Python code."""

    script: str
    python: bool = False


@dataclass(frozen=True, slots=True)
class Define:
    """A shell function or alias by the name of a program, or a variable that stays set."""

    name: str
    value: str
    kind: Literal["function", "alias", "variable"]
    text: str


Act = Program | Touch | Reach | Use | Source | Define
