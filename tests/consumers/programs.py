"""Programs of consumers: each ends with the test that runs it, and with it all of its group."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

PATIENCE_S = 10.0
"""A program that is given up has this time to end what it started elsewhere."""


def run(
    command: Sequence[str | Path],
    variables: Mapping[str, str] = MappingProxyType({}),
    folder: Path | None = None,
    stdin: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, with more variables than this process has, as `attempt` does.

    Raises `AssertionError` with what it printed if it fails.
    """
    done = attempt(command, variables, folder, stdin)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def attempt(
    command: Sequence[str | Path],
    variables: Mapping[str, str] = MappingProxyType({}),
    folder: Path | None = None,
    stdin: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and return how that was and what it printed."""
    with subprocess.Popen(
        # in a group of its own, so that what it leaves can be found; and it dies with this process
        ["setpriv", "--pdeathsig", "TERM", "--", *command],
        env={**os.environ, **variables}, cwd=folder, process_group=0, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            said = process.communicate(stdin)
        finally:
            _end(process)
    return subprocess.CompletedProcess(command, process.returncode, *said)


def _end(process: subprocess.Popen[str]) -> None:
    """End a program that has not ended, and all that is left of its group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
