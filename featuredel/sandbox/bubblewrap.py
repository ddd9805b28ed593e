"""The back-end that needs no daemon and no privilege: bubblewrap on an overlay in memory."""

import contextlib
import fcntl
import marshal
import os
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from featuredel.errors import SandboxError
from featuredel.sandbox import Command, ExecResult, Limits, cgroup, root
from featuredel.sandbox.capture import Stream, until_end

LAUNCHER = Path(__file__).with_name("launcher.py")
OWN_PROCESSES = 4  # the launcher's and bubblewrap's, which count against the limit
STATUS_BYTES = 1 << 16
NOT_FOUND = 127  # as a shell says it
INSTALL = "bubblewrap is not installed: apt-get install bubblewrap"


class Bubblewrap:
    """Runs commands in bubblewrap, as root or as an ordinary user.

    Layers and mounts should belong to the user who runs this: files of others are seen as
    nobody's and cannot be changed.
    """

    name = "bubblewrap"

    def __init__(self, *, overlay: bool = True) -> None:
        """Without `overlay`, trees are copied for each run, as on kernels that refuse it."""
        self.overlay = overlay

    def run(self, command: Command) -> ExecResult:
        """Run `command` to its end; see `Sandbox.run`."""
        started = time.monotonic()
        limits = command.limits
        with contextlib.ExitStack() as stack:
            group = stack.enter_context(cgroup.limited(limits.processes + OWN_PROCESSES))
            pipes = _Pipes.open(stack)
            spec = _specification(command, self.overlay, group) | pipes.numbers()
            process = _start(spec, command.stdin, pipes, stack)
            stdout = Stream(pipes.stdout.reader.fileno(), limits.output_bytes)
            stderr = Stream(pipes.stderr.reader.fileno(), limits.output_bytes)
            report = Stream(pipes.report.reader.fileno(), limits.report_bytes)
            status = Stream(pipes.status.reader.fileno(), STATUS_BYTES)
            streams = (stdout, stderr, report)
            try:
                cut = until_end(streams, status, started + limits.wall_s)
            finally:
                pipes.control.writer.close()  # the launcher ends everything, then itself
            for stream in (*streams, status):
                stream.drain()
            process.wait()
        if cut == "ended" and any(stream.exceeded for stream in streams):
            cut = "output"
        outcome = _outcome(bytes(status.data), bytes(stderr.data))
        exited = cut == "ended" and outcome.ended == "exited"
        return ExecResult(
            exit_code=outcome.code if exited else None,
            ended=cut if cut != "ended" else outcome.ended,
            stdout=bytes(stdout.data),
            stderr=bytes(stderr.data),
            report=bytes(report.data),
            wall_s=time.monotonic() - started,
            cpu_s=outcome.cpu_s,
        )


@dataclass(frozen=True, slots=True)
class _Pipe:
    """Both ends of a pipe."""

    reader: BinaryIO
    writer: BinaryIO


@dataclass(frozen=True, slots=True)
class _Pipes:
    """The pipes between this process and the launcher."""

    stdout: _Pipe
    stderr: _Pipe
    report: _Pipe
    status: _Pipe
    control: _Pipe

    @classmethod
    def open(cls, stack: contextlib.ExitStack) -> "_Pipes":
        """Open all pipes; the stack closes them."""

        def pipe() -> _Pipe:
            reader, writer = os.pipe()
            return _Pipe(
                stack.enter_context(open(reader, "rb", buffering=0)),
                stack.enter_context(open(writer, "wb", buffering=0)),
            )

        return cls(pipe(), pipe(), pipe(), pipe(), pipe())

    def numbers(self) -> dict[str, int]:
        """Return the descriptors that the launcher uses by number."""
        return {
            "report": self.report.writer.fileno(),
            "status": self.status.writer.fileno(),
            "control": self.control.reader.fileno(),
        }

    def close_other_ends(self) -> None:
        """Close what only the launcher holds from now on, so that its end is seen here."""
        for pipe in (self.stdout, self.stderr, self.report, self.status):
            pipe.writer.close()
        self.control.reader.close()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the launcher says of the command."""

    ended: Literal["exited", "processes"]
    code: int | None
    cpu_s: float


def _start(
    spec: dict[str, Any], stdin: bytes, pipes: _Pipes, stack: contextlib.ExitStack
) -> "subprocess.Popen[bytes]":
    """Start the launcher on `spec`; the stack waits for its end."""
    source = _sealed(marshal.dumps(spec), stack)
    numbers = pipes.numbers()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-E", str(LAUNCHER), str(source)],
        stdin=_sealed(stdin, stack),
        stdout=pipes.stdout.writer,
        stderr=pipes.stderr.writer,
        pass_fds=(source, *numbers.values()),
        env={},
        cwd="/",
    )
    stack.callback(process.wait)
    stack.callback(pipes.control.writer.close)
    pipes.close_other_ends()
    return process


def _sealed(data: bytes, stack: contextlib.ExitStack) -> int:
    """Return a descriptor of a file in memory that holds `data` and cannot be written to."""
    descriptor = os.memfd_create("featuredel", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    stack.callback(os.close, descriptor)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


def _specification(command: Command, overlay: bool, group: Path | None) -> dict[str, Any]:
    """Return what the launcher needs to know, in types that `marshal` can carry."""
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxError(INSTALL)
    return {
        "argv": [program, "--json-status-fd", "{status}", *root.arguments(command)],
        "cgroup": str(group) if group else None,
        "copy_bytes": sum(map(_size, command.layers)) if not overlay else 0,
        "etc": root.etc(command.network),
        "keep": str(command.keep_changes) if command.keep_changes else None,
        "layers": [str(layer) for layer in command.layers],
        "limits": _rlimits(command.limits),
        "overlay": overlay,
        "parent": os.getpid(),
        "processes": command.limits.processes + OWN_PROCESSES,
        "scratch": root.SCRATCH,
        "scratch_bytes": command.limits.scratch_bytes,
    }


def _size(path: Path) -> int:
    return sum(file.lstat().st_size + 4096 for file in path.rglob("*"))


def _rlimits(limits: Limits) -> list[tuple[int, int, int]]:
    """Return (resource, soft limit, hard limit) of each process."""
    cpu_s = max(1, round(limits.cpu_s))
    processes = limits.processes + OWN_PROCESSES
    return [
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),  # the soft one says why: SIGXCPU
        (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_NPROC, processes, processes),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes),
    ]


def _outcome(status: bytes, stderr: bytes) -> _Outcome:
    """Read the launcher's last word, or raise `SandboxError` with the reason there is none."""
    tail = stderr[-2000:].decode(errors="replace").strip()
    if not status:
        raise SandboxError(f"the sandbox ended without a word: {tail}")
    result = marshal.loads(status)
    if "failed" in result:
        raise SandboxError(f"cannot {result['failed']}: {os.strerror(result['errno'])}")
    if result["ended"] == "exited" and not result["started"]:
        if tail.startswith("bwrap: execvp "):
            return _Outcome("exited", NOT_FOUND, result["cpu_s"])
        raise SandboxError(f"bubblewrap could not start the command: {tail}")
    code = result["code"]
    return _Outcome(
        ended="processes" if result["ended"] == "processes" else "exited",
        code=128 - code if code is not None and code > 128 else code,
        cpu_s=result["cpu_s"],
    )
