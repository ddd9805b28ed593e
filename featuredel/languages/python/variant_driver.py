"""Runs inside the sandbox: the tests of many variants of a tree, each in a forked child.

The parent has pytest imported and never touches code of the tree, so each child starts as a fresh
process would, without paying for the start; nor for the dependencies, once the first child has
told which it used. Reads a JSON object from stdin and writes, for each
variant, a line with the size of its report and the report. Python >= 3.8, standard library only.
"""

from __future__ import annotations

import base64
import contextlib
import importlib
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

REPORT_FD = 3


def main() -> None:
    """Run the job that stdin describes."""
    job = json.load(sys.stdin)
    request = json.dumps(job["request"]).encode()
    warm_up()
    for variant in job["variants"]:
        before = exchange({path: base64.b64decode(text) for path, text in variant.items()})
        with tempfile.TemporaryFile() as report, tempfile.TemporaryFile() as used:
            ended = run(request, job["arguments"], report, used, job["wall_s"])
            report.seek(0)
            content = report.read()
            used.seek(0)
            preload(used.read().decode().split())
        exchange(before)
        send(json.dumps([ended, len(content)]).encode() + b"\n" + content)


def warm_up() -> None:
    """Import what every run imports before it looks at the tree."""
    config = importlib.import_module("_pytest.config")
    for name in config.default_plugins:
        importlib.import_module("_pytest." + name)


def dependencies() -> list[str]:
    """Return what is imported from outside the tree, but for what pytest itself rewrites."""
    return [
        name
        for name, module in list(sys.modules.items())
        if type(getattr(module, "__loader__", None)).__module__.startswith("_frozen_importlib")
        and str(getattr(module, "__file__", None)).startswith((sys.prefix, sys.base_prefix))
    ]


def preload(names: list[str]) -> None:
    """Import modules that the tree did not bring."""
    own = sys.path[:]
    sys.path[:] = [path for path in own if path.startswith((sys.prefix, sys.base_prefix))]
    for name in names:
        if name not in sys.modules:
            with contextlib.suppress(BaseException):
                importlib.import_module(name)
    sys.path[:] = own


def exchange(files: dict[str, bytes | None]) -> dict[str, bytes | None]:
    """Write files (None: remove) and return what stood in their places."""
    before: dict[str, bytes | None] = {}
    for name, content in files.items():
        path = Path(name)
        before[name] = None
        with contextlib.suppress(FileNotFoundError):
            before[name] = path.read_bytes()
            path.unlink()
        if content is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return before


def run(
    request: bytes, arguments: list[str], report: IO[bytes], used: IO[bytes], wall_s: float
) -> str:
    """Run pytest in a child and return whether it came to its end."""
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            become(request, report)
            sys.argv = ["pytest", *arguments]
            importlib.import_module("pytest").main(arguments)
            os.write(used.fileno(), "\n".join(dependencies()).encode())
        finally:
            os._exit(0)
    ended = "exited" if waited(child, time.monotonic() + wall_s) else "timeout"
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if ended == "timeout":
        os.waitpid(child, 0)
    return ended


def waited(child: int, deadline: float) -> bool:
    """Wait for a child and return whether it ended in time."""
    pause_s = 0.002
    while time.monotonic() < deadline:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(pause_s)
        pause_s = min(0.05, pause_s * 1.3)
    return False


def become(request: bytes, report: IO[bytes]) -> None:
    """Give the child the file descriptors that a run of its own would have."""
    with tempfile.TemporaryFile() as file:
        file.write(request)
        file.flush()
        file.seek(0)
        os.dup2(file.fileno(), 0)
    os.dup2(report.fileno(), REPORT_FD)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)


def send(data: bytes) -> None:
    """Write all of `data` to the report."""
    while data:
        data = data[os.write(REPORT_FD, data) :]


main()
