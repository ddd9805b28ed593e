"""The pipes and files in memory through which a run talks to the processes that it starts."""

import contextlib
import fcntl
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from featuredel.sandbox import Limits
from featuredel.sandbox.capture import Stream

STATUS_BYTES = 1 << 16


class Forks:
    """Closes in each fork of this process what the other threads have open.

    A fork that held the ends of a run's pipes would keep the run from seeing that they close.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[object, Callable[[], None]] = {}
        os.register_at_fork(
            before=self._lock.acquire,
            after_in_parent=self._lock.release,
            after_in_child=self._close,
        )

    def __enter__(self) -> None:
        """Let nobody fork."""
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def close_there(self, close: Callable[[], None], stack: contextlib.ExitStack) -> None:
        """Have `close` called in forks, and here by the stack. To be asked while nobody forks."""
        key = object()
        self._open[key] = close
        stack.callback(self._open.pop, key)
        stack.callback(close)

    def _close(self) -> None:
        for close in self._open.values():
            close()
        self._open.clear()
        self._lock.release()


FORKS = Forks()
"""Of this process: there is one table of open files, and one way to fork it."""


@dataclass(frozen=True, slots=True)
class Pipe:
    """Both ends of a pipe."""

    reader: BinaryIO
    writer: BinaryIO

    @classmethod
    def open(cls, stack: contextlib.ExitStack) -> "Pipe":
        """Open a pipe that the stack closes."""
        with FORKS:
            reader, writer = os.pipe()
            pipe = cls(os.fdopen(reader, "rb", buffering=0), os.fdopen(writer, "wb", buffering=0))
            FORKS.close_there(pipe.close, stack)
        return pipe

    def close(self) -> None:
        """Close both ends; may be called again."""
        self.reader.close()
        self.writer.close()


@dataclass(frozen=True, slots=True)
class Channels:
    """What a command prints and reports, what its launcher says of it, and when it is to end."""

    stdout: Pipe
    stderr: Pipe
    report: Pipe
    status: Pipe
    control: Pipe  # the launcher ends everything when this side closes it

    @classmethod
    def open(cls, stack: contextlib.ExitStack) -> "Channels":
        """Open all pipes; the stack closes them."""
        stdout, stderr, report, status, control = (Pipe.open(stack) for _ in range(5))
        return cls(stdout, stderr, report, status, control)

    def numbers(self) -> dict[str, int]:
        """Return the descriptors that the launcher knows by number."""
        return {
            "report": self.report.writer.fileno(),
            "status": self.status.writer.fileno(),
            "control": self.control.reader.fileno(),
        }

    def streams(self, limits: Limits) -> tuple[Stream, Stream, Stream, Stream]:
        """Return stdout, stderr, report and status, to be read within the limits."""
        return (
            Stream(self.stdout.reader.fileno(), limits.output_bytes),
            Stream(self.stderr.reader.fileno(), limits.output_bytes),
            Stream(self.report.reader.fileno(), limits.report_bytes),
            Stream(self.status.reader.fileno(), STATUS_BYTES),
        )

    def close_far_ends(self) -> None:
        """Close what the started process holds from now on, so that its end is seen here."""
        for pipe in (self.stdout, self.stderr, self.report, self.status):
            pipe.writer.close()
        self.control.reader.close()


def sealed(data: bytes, stack: contextlib.ExitStack) -> int:
    """Return a descriptor of a file in memory that holds `data` and cannot be written to."""
    descriptor = os.memfd_create("input", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    stack.callback(os.close, descriptor)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor
