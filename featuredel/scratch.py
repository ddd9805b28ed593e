"""What processes have for themselves while they are at work: directories and locks.

Directories are named after the process, so that those of a dead one can be told.
"""

import contextlib
import fcntl
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_PREFIX = ".scratch-"

ABANDONED_S = 24 * 3600.0
"""What is older than this, and of a process on another machine, is one's that was killed."""


@contextlib.contextmanager
def scratch_directory(parent: Path) -> Iterator[Path]:
    """Yield a new directory in `parent` that goes at the end."""
    with tempfile.TemporaryDirectory(prefix=_mine(), dir=parent) as name:
        yield Path(name)


@contextlib.contextmanager
def standing_scratch(parent: Path, name: str) -> Iterator[Path]:
    """Yield this process's directory of that name in `parent`, and empty it at the end.

    It stays itself, so that what has it mounted can go on.
    """
    place = parent / f"{_mine()}{name}"
    place.mkdir(exist_ok=True)
    try:
        yield place
    finally:
        for child in place.iterdir():
            shutil.rmtree(child, ignore_errors=True)


@contextlib.contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Keep every other process and thread that asks for the same lock out; it is a file."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def sweep(work: Path) -> None:
    """Remove from `work` and the folders in it what processes that were killed have left."""
    for pattern in (f"{_PREFIX}*", f"*/{_PREFIX}*"):
        for place in work.glob(pattern):
            if _is_abandoned(place):
                shutil.rmtree(place, ignore_errors=True)


def _here() -> str:
    """Name what numbers of processes count in: a machine, or a container on it."""
    return f"{socket.gethostname()}.{Path('/proc/self/ns/pid').stat().st_ino}"


def _mine() -> str:
    return f"{_PREFIX}{_here()}-{os.getpid()}-"


def _is_abandoned(place: Path) -> bool:
    here, dash, process = place.name.removeprefix(_PREFIX).rpartition("-")[0].rpartition("-")
    if not dash:
        return False  # not named by this module
    if here == _here():
        return not Path("/proc", process).exists()
    try:
        return time.time() - place.stat().st_mtime > ABANDONED_S
    except FileNotFoundError:  # another's, which has just ended
        return False
