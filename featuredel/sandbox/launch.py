"""Start a launcher for a command, read what comes of it, and see all of it end."""

import contextlib
import marshal
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from featuredel.errors import ChangesError, SandboxError
from featuredel.sandbox import Command, ExecResult, Limits
from featuredel.sandbox.capture import Stream, drain, until_end
from featuredel.sandbox.channels import Channels, sealed

# not as part of featuredel, whose own imports cost more time than the whole launcher
PROGRAM = "import sys; sys.path.append(sys.argv.pop(1)); from launcher.{} import main; main()"
GRACE_S = 120.0
"""Within this time a launcher ends everything; it is milliseconds unless the machine is stuck."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, before it is known what the status means."""

    cut: Literal["ended", "timeout", "output"]
    stdout: bytes
    stderr: bytes
    report: bytes
    status: Mapping[str, Any]
    wall_s: float

    def result(self, ended: Literal["exited", "processes"], code: int | None) -> ExecResult:
        """Return the result where the launcher says that the command ended so."""
        return ExecResult(
            exit_code=code if self.cut == "ended" and ended == "exited" else None,
            ended=ended if self.cut == "ended" else self.cut,
            stdout=self.stdout,
            stderr=self.stderr,
            report=self.report,
            wall_s=self.wall_s,
            cpu_s=self.status["cpu_s"],
            left=self.status.get("left", 0),
        )


def launch(entry: str, command: Command, spec: Mapping[str, Any]) -> Ending:
    """Run `launcher.<entry>` with `spec`; when this returns or raises, nothing of it is left.

    Raises `SandboxError` where the launcher could not do its work.
    """
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        channels = Channels.open(stack)
        process = start(entry, sealed(command.stdin, stack), spec, channels, stack)
        *streams, status = channels.streams(command.limits)
        exit_descriptor = os.pidfd_open(process.pid)
        stack.callback(os.close, exit_descriptor)
        cut = until_end(streams, exit_descriptor, started + command.limits.wall_s)
        finish(process, channels, (*streams, status))
    if any(stream.exceeded for stream in streams):
        cut = "output"
    stdout, stderr, report = (bytes(stream.data) for stream in streams)
    word = last_word(status, stderr)
    return Ending(cut, stdout, stderr, report, word, time.monotonic() - started)


def finish(
    process: "subprocess.Popen[bytes]", channels: Channels, streams: Sequence[Stream]
) -> None:
    """Have a launcher end everything, and wait until it has."""
    channels.control.writer.close()
    if not drain(streams, time.monotonic() + GRACE_S):
        process.kill()
        raise SandboxError("the sandbox did not end")
    process.wait()


def start(
    entry: str,
    stdin: int,
    spec: Mapping[str, Any],
    channels: Channels,
    stack: contextlib.ExitStack,
) -> "subprocess.Popen[bytes]":
    """Start the launcher; the stack ends it and waits for it."""
    numbers = channels.numbers()
    source = sealed(marshal.dumps({**spec, **numbers, "parent": os.getpid()}), stack)
    process = subprocess.Popen(
        [
            *(sys.executable, "-I", "-S", "-c", PROGRAM.format(entry)),
            *(str(Path(__file__).parent), str(source)),
        ],
        stdin=stdin,
        stdout=channels.stdout.writer,
        stderr=channels.stderr.writer,
        pass_fds=(source, *numbers.values()),
        env={},
        cwd="/",
        start_new_session=True,  # an interrupt from the terminal is for this process to act on
    )
    stack.callback(process.wait)
    stack.callback(channels.control.writer.close)
    channels.close_far_ends()
    return process


def last_word(status: Stream, stderr: bytes) -> Mapping[str, Any]:
    """Return the launcher's last word."""
    if not status.data:
        tail = stderr[-2000:].decode(errors="replace").strip()
        raise SandboxError(f"the sandbox broke down: {tail or 'its first process was killed'}")
    word: dict[str, Any] = marshal.loads(status.data)  # noqa: S302 -- the launcher's, not the command's
    if word.get("failed") == "keep the changes":
        raise ChangesError(f"cannot keep the changes: {os.strerror(word['error'])}")
    if "failed" in word:
        raise LaunchError(word["failed"], word["error"])
    return word


class LaunchError(SandboxError):
    """A step of the set-up that the system refused, with the error number."""

    def __init__(self, step: str, error: int) -> None:
        super().__init__(f"cannot {step}: {os.strerror(error)}")
        self.step = step
        self.error = error

    def __reduce__(self) -> tuple[type["LaunchError"], tuple[str, int]]:
        """Survive pickling between workers with both parts."""
        return (LaunchError, (self.step, self.error))


def rlimits(limits: Limits) -> list[tuple[int, int, int]]:
    """Return (resource, soft limit, hard limit) of each process, but for their number."""
    cpu_s = max(1, round(limits.cpu_s))
    return [
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),  # the soft one says why: SIGXCPU
        (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes),
    ]
