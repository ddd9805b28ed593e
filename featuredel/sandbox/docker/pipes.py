"""The named pipes through which a run talks to the first process of its container.

They lose their names once both sides have them open, so that the command never finds one.
"""

import contextlib
import fcntl
import os
import select
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from featuredel.errors import SandboxError
from featuredel.sandbox import Limits
from featuredel.sandbox.capture import Stream
from featuredel.sandbox.channels import FORKS, STATUS_BYTES
from featuredel.sandbox.launcher.contained import READ, READY, WRITTEN
from featuredel.scratch import scratch_directory

PIPE_BYTES = 1 << 18
SOURCE = "source"
"""The pipe that the first process is told everything by, its own program to begin with."""


@dataclass(slots=True)
class Pipes:
    """Our side of the pipes. `place` is a directory that is to be mounted read-only."""

    place: Path
    written: dict[str, int]  # here: control, questions and source
    read: dict[str, int]

    @classmethod
    def open(cls, stack: contextlib.ExitStack) -> "Pipes":
        """Make all pipes; the stack closes them."""
        # others of this machine cannot get into the outer directory, and so not to the pipes
        outer = stack.enter_context(scratch_directory())
        place = outer / "pipes"
        place.mkdir()
        place.chmod(0o755)
        pipes = cls(place, {}, {})
        with FORKS:
            FORKS.close_there(pipes.close, stack)
            for name in (*READ, *WRITTEN, SOURCE):
                os.mkfifo(place / name)
                (place / name).chmod(0o666)
                if name in WRITTEN:
                    pipes.read[name] = os.open(place / name, os.O_RDONLY | os.O_NONBLOCK)
                else:  # for reading as well: nobody else does, and it would wait for one
                    pipes.written[name] = os.open(place / name, os.O_RDWR)
        return pipes

    def feed(self, data: bytes) -> None:
        """Put into `source` what the first process begins with, before anybody reads."""
        fcntl.fcntl(self.written[SOURCE], fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        assert os.write(self.written[SOURCE], data) == len(data) <= PIPE_BYTES

    def wait(self, timeout_s: float) -> bool:
        """Wait for the first process to have opened all pipes; False: it has not, so far.

        Raises `SandboxError` if it ended before.
        """
        poll = select.poll()
        poll.register(self.read["status"], select.POLLIN)
        if not poll.poll(timeout_s * 1000):
            return False
        if os.read(self.read["status"], len(READY)) != READY:
            raise SandboxError("the container's first process ended at once")
        for name in ("questions", SOURCE):  # from now on it is noticed when the reader has gone
            writer = os.open(self.place / name, os.O_WRONLY)
            before, self.written[name] = self.written[name], writer
            os.close(before)
        for path in self.place.iterdir():
            path.unlink()
        for descriptor in self.read.values():
            os.set_blocking(descriptor, True)
        return True

    def source(self) -> BinaryIO:
        """Return the pipe `source` as a file, which closes it for good."""
        return os.fdopen(self.written.pop(SOURCE), "wb", buffering=0)

    def changes(self) -> BinaryIO:
        """Return the pipe `changes` as a file, which closes it for good."""
        return os.fdopen(self.read.pop("changes"), "rb", buffering=0)

    def streams(self, limits: Limits) -> tuple[Stream, Stream, Stream, Stream]:
        """Return stdout, stderr, report and status, to be read within the limits."""
        return (
            Stream(self.read["stdout"], limits.output_bytes),
            Stream(self.read["stderr"], limits.output_bytes),
            Stream(self.read["report"], limits.report_bytes),
            Stream(self.read["status"], STATUS_BYTES),
        )

    def end(self) -> None:
        """Have the first process end everything."""
        if "control" in self.written:
            os.close(self.written.pop("control"))

    def close(self) -> None:
        """Close what is open."""
        for pipes in (self.written, self.read):
            while pipes:
                os.close(pipes.popitem()[1])
