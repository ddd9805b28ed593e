"""A command of its own process, and the door through which a verifier has things graded."""

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from featuredel_harbor import grading, once

from featuredel.sandbox import Command

pytestmark = pytest.mark.sandbox


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(once.__file__).parents[1]))


def shell(script: str, tree: Path) -> Command:
    return Command(argv=("/bin/sh", "-c", script), layers=(tree,))


def test_a_command_comes_back(tmp_path: Path) -> None:
    result = asyncio.run(once.run(shell("echo out; exit 3", tmp_path)))
    assert (result.stdout, result.exit_code) == (b"out\n", 3)


def test_a_command_that_is_given_up_ends(tmp_path: Path) -> None:
    marker = f"{time.monotonic_ns()}"

    async def give_up() -> None:
        task = asyncio.ensure_future(once.run(shell(f"exec sleep 600.{marker}", tmp_path)))
        while not _running(marker):
            await asyncio.sleep(0.05)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    assert not _running(marker)


def _running(marker: str) -> bool:
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and marker in (process / "cmdline").read_text():
                return True
    return False


def test_the_door_gives_what_featuredel_says(tmp_path: Path) -> None:
    mount = grading.lay_out(tmp_path, sys.executable)
    assert mount.target == grading.HOME and not mount.writable
    client = tmp_path / "client.py"
    client.write_text(client.read_text().replace(grading.HOME, str(tmp_path)))

    async def knock(*arguments: str) -> tuple[int, bytes, bytes]:
        async with grading.open_door(tmp_path, arguments):
            return await asyncio.to_thread(_call, client)

    code, out, err = asyncio.run(knock("--version"))
    assert (code, err) == (0, b"") and b"featuredel, version" in out
    code, out, err = asyncio.run(knock("grade", str(tmp_path), "task", str(tmp_path)))
    assert (code, out) == (2, b"") and b"no dataset here" in err


def _call(client: Path) -> tuple[int, bytes, bytes]:
    done = subprocess.run([sys.executable, "-I", "-S", str(client)], capture_output=True)
    return done.returncode, done.stdout, done.stderr


def test_a_door_that_closes_ends_what_it_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = f"{time.monotonic_ns()}"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nexec sleep 600.{marker}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))

    async def leave() -> None:
        async with grading.open_door(tmp_path, ()):
            _, writer = await asyncio.open_unix_connection(tmp_path / "door")
            while not _running(marker):
                await asyncio.sleep(0.05)
            writer.close()

    asyncio.run(leave())
    assert not _running(marker)


def test_a_command_ends_with_the_program_that_asked_for_it(tmp_path: Path) -> None:
    marker = f"{time.monotonic_ns()}"
    program = (
        "import asyncio, pathlib, sys; from featuredel.sandbox import Command;"
        " from featuredel_harbor import once;"
        f" asyncio.run(once.run(Command(('sleep', '600.{marker}'), (pathlib.Path(sys.argv[1]),))))"
    )
    asking = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)])
    _wait(lambda: _running(f"600.{marker}\0"))
    asking.kill()
    asking.wait()
    _wait(lambda: not _running(f"600.{marker}\0"))


def _wait(until: Callable[[], bool]) -> None:
    while not until():
        time.sleep(0.05)
