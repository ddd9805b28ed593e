"""A process that runs one command in the sandbox: SIGTERM ends both, and waits for that.

It reads a pickled `Command` from its standard input and writes a pickled `ExecResult`, or the
`SandboxError` there was, to its standard output. Both ends are this program.
"""

import asyncio
import os
import pickle
import signal
import sys

from featuredel.errors import SandboxError
from featuredel.sandbox import Command, ExecResult
from featuredel.sandbox.bubblewrap import Bubblewrap

_FOLLOW = """\
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 15, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGTERM
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""


def following(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command for a module of Python that gets SIGTERM when this process dies."""
    first = (sys.executable, "-I", "-S", "-c", _FOLLOW, str(os.getpid()))
    return (*first, "-m", module, *arguments)


async def run(command: Command) -> ExecResult:
    """Run a command; when this returns, raises or is cancelled, nothing of it is left."""
    process = await asyncio.create_subprocess_exec(
        *following(__name__),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        said, trouble = await process.communicate(pickle.dumps(command))
    finally:
        await ended(process)
    if not said:
        told = trouble.decode(errors="replace").strip().splitlines()
        raise SandboxError(f"no command could be run: {told[-1] if told else 'it was killed'}")
    result = pickle.loads(said)  # noqa: S301 -- written below
    if isinstance(result, SandboxError):
        raise result
    assert isinstance(result, ExecResult)
    return result


async def ended(process: asyncio.subprocess.Process) -> None:
    """Ask a process to end, if it has not, and wait until it has."""
    if process.returncode is None:
        process.terminate()
        await asyncio.shield(process.wait())


def main() -> None:
    """Be that process."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    command = pickle.load(sys.stdin.buffer)  # noqa: S301 -- written above
    result: ExecResult | SandboxError
    try:
        result = Bubblewrap().run(command)
    except SandboxError as error:
        result = error
    sys.stdout.buffer.write(pickle.dumps(result))


if __name__ == "__main__":
    main()
