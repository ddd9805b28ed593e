"""Where untrusted code runs: the Protocol, its words, and the table of back-ends.

A sandbox shows a command a read-only root, the tree at /workspace as a private writable overlay,
a private /tmp and home, no network, one unprivileged user, and ends it whole: when `run` returns,
every process of it is dead and every mount is gone.
"""

import struct
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

WORKSPACE = "/workspace"
ENVIRONMENT = "/env"
HOME = "/home/solver"
SCRATCH = ("/tmp", "/dev/shm", HOME)  # noqa: S108 -- private to a run
FRAME = struct.Struct("!Qd")
"""What goes before a question and an answer: its size in bytes, and the CPU seconds used so far."""

REPORT_FD = 3
"""The command may write a report to this file descriptor; it comes back as `ExecResult.report`."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A path of this machine that the command can see."""

    source: Path
    target: str
    writable: bool = False
    lasting: bool = False  # never changes once it is there: a back-end may keep a copy


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a command ends. Sizes in bytes, times in seconds."""

    wall_s: float = 600.0
    cpu_s: float = 1200.0  # each process
    memory_bytes: int = 4 << 30  # each process
    processes: int = 256  # in all
    open_files: int = 1024
    file_bytes: int = 256 << 20  # one file
    scratch_bytes: int = 1 << 30  # /tmp, home and changes to /workspace, each
    output_bytes: int = 4 << 20  # stdout and stderr, each; what is more ends the command
    report_bytes: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Command:
    """What to run, and what it may see."""

    argv: tuple[str, ...]
    layers: tuple[Path, ...]  # directories seen as /workspace, the uppermost first; never written
    mounts: tuple[Mount, ...] = ()
    hidden: tuple[str, ...] = ()  # directories in mounts that are seen empty, but for other mounts
    variables: Mapping[str, str] = field(
        default_factory=dict
    )  # the whole environment, but HOME, PATH, TMPDIR, LANG
    stdin: bytes = b""
    network: bool = False
    nesting: int = 0  # user namespaces that the command may make, one in the other or side by side
    keep_changes: Path | None = None  # an empty directory that receives what changed in /workspace
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class ExecResult:
    """How a command ended. A sandbox that fails raises `SandboxError` instead."""

    exit_code: int | None  # None unless it exited by itself; -n: signal n
    ended: Literal["exited", "timeout", "output", "processes"]
    stdout: bytes
    stderr: bytes
    report: bytes
    wall_s: float
    cpu_s: float  # user + system, of all its processes


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file or link, and its path in the sandbox."""

    path: Path
    seen: str


class Ground(Protocol):
    """Part of what commands see besides their trees; the same for many of them.

    Parts that are the same are equal, and have the same hash.
    """

    def __hash__(self) -> int: ...

    @property
    def mark(self) -> str:
        """What tells this state of its files from any other, found without reading them."""
        ...

    def files(self) -> AbstractContextManager[Sequence[SeenFile]]:
        """Give its files and links, which may only be there as long as the context lasts."""
        ...


class Session(Protocol):
    """A command that is asked more than once: it reads questions and writes answers, in turn.

    On its standard input and its report, each is a `FRAME` and as many bytes as that says.
    """

    @property
    def cpu_s(self) -> float:
        """What it has used so far, by its own account."""
        ...

    @property
    def closed(self) -> bool:
        """Whether it is over."""
        ...

    def ask(self, question: bytes, wall_s: float) -> bytes | None:
        """Return the answer, or None if there was none in time; the session is over then."""
        ...

    def close(self) -> None:
        """End the command and everything that it started. May be called again."""
        ...


class Sandbox(Protocol):
    """A back-end. Safe to call from many threads and processes at once."""

    @property
    def name(self) -> str:
        """The word that stands for it in `--sandbox`."""
        ...

    def run(self, command: Command) -> ExecResult:
        """Run `command` to its end and return how it ended.

        Raises `SandboxError` if the sandbox itself could not do its work.
        """
        ...

    def seen(self, command: Command) -> AbstractContextManager[tuple[Ground, ...]]:
        """Give what `command` sees but for its layers and what it can write, in parts.

        They can be read in the context only.
        """
        ...

    def open(self, command: Command) -> Session | None:
        """Start a command that answers questions, or return None where this back-end cannot.

        It is the caller's to close, unless the sandbox is `Shared`. The command's `stdin`,
        `keep_changes` and `limits.wall_s` do not count; `report_bytes` bounds an answer.
        Raises `SandboxError` if the sandbox itself could not do its work.
        """
        ...
