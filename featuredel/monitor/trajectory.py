"""A trajectory in the one form that all rules read, whatever agent wrote it."""

from dataclasses import dataclass
from typing import Literal

Format = Literal["atif", "swe-agent", "mini-swe-agent", "openhands"]


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell command line, or several."""

    command: str


@dataclass(frozen=True, slots=True)
class Cell:
    """Python code that the agent ran by a tool, outside of a shell."""

    code: str


@dataclass(frozen=True, slots=True)
class Read:
    """A file that was read by a tool."""

    path: str


@dataclass(frozen=True, slots=True)
class Write:
    """A file that was made or edited by a tool. `old` is None where the whole file is new text."""

    path: str
    new: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """A page or a search of the web, by a tool."""

    what: str  # an address or a query


Call = Shell | Cell | Read | Write | Look


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the agent."""

    index: int  # 0 is the agent's first turn
    id: str  # as the file numbers it
    reasoning: str
    message: str
    calls: tuple[Call, ...]
    observation: str


@dataclass(frozen=True, slots=True)
class Trajectory:
    """All turns of the agent, and how they ended as far as the file tells."""

    name: str
    format: Format
    steps: tuple[Step, ...]
    cwd: str = ""  # where the first command ran, if that is told
    submission: str | None = None  # a diff
    resolved: bool | None = None
