"""What `featuredel` is in the verifier's environment: a door to the real one outside of it.

A sandbox cannot make sandboxes. So the script of the verifier runs in one, and the grading that it
calls for runs outside, which in turn runs all that the agent wrote in sandboxes of its own. What
comes through the door is a knock and nothing else: what is graded, against which task, is known.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

from featuredel.sandbox import Mount
from featuredel_harbor.once import ended, following

HOME = "/opt/featuredel"
"""Where test.sh looks for it."""

_SOCKET = "door"
_CLIENT = """\
import json, socket, sys

with socket.socket(socket.AF_UNIX) as door:
    door.connect("{home}/{socket}")
    answer = json.loads(door.makefile("rb").read())
sys.stderr.write(answer["stderr"])
sys.stdout.write(answer["stdout"])
sys.exit(answer["code"])
"""


def lay_out(directory: Path, interpreter: str) -> Mount:
    """Write programs named `featuredel` and `python` to `directory`, to be seen at `HOME`.

    `interpreter` is what runs them, as the environment sees it. No package of the environment
    that they run in is imported: those are strangers' work.
    """
    (directory / "bin").mkdir()
    client = directory / "client.py"
    client.write_text(_CLIENT.format(home=HOME, socket=_SOCKET))
    for name, argument in (("python", '"$@"'), ("featuredel", f"{HOME}/{client.name}")):
        program = directory / "bin" / name
        program.write_text(f"#!/bin/sh\nexec {interpreter} -I -S {argument}\n")
        program.chmod(0o755)
    return Mount(directory, HOME)


@contextlib.asynccontextmanager
async def open_door(directory: Path, arguments: tuple[str, ...]) -> AsyncIterator[None]:
    """Answer every client with what `featuredel` says to these arguments."""
    working: set[asyncio.Task[None]] = set()

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        working.add(task)
        try:
            writer.write(json.dumps(await _asked(arguments)).encode())
            await writer.drain()
        finally:
            writer.close()
            working.discard(task)

    server = await asyncio.start_unix_server(answer, directory / _SOCKET)
    try:
        yield
    finally:
        server.close()
        for task in working:
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        await server.wait_closed()


async def _asked(arguments: tuple[str, ...]) -> dict[str, str | int]:
    process = await asyncio.create_subprocess_exec(
        *following("featuredel", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await process.communicate()
    finally:
        await ended(process)
    assert process.returncode is not None
    return {"code": process.returncode, "stdout": out.decode(), "stderr": err.decode()}
