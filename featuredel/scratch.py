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
from itertools import chain
from pathlib import Path

from featuredel.errors import UsageError

PREFIX = ".scratch-"
"""Of the names of directories. What is drawn, or the process's own, comes after it."""

ABANDONED_S = 24 * 3600.0
"""What is older than this, and of a process on another machine, is one's that was killed."""


@contextlib.contextmanager
def scratch_directory(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new directory in `parent`, or where temporary files go, that goes at the end.

    What of it cannot be removed then waits for a `sweep`.
    """
    with tempfile.TemporaryDirectory(
        prefix=_mine(), dir=parent, ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


@contextlib.contextmanager
def filled(directory: Path) -> Iterator[Path]:
    """Yield a place of which the content goes into a new or empty directory if nothing is raised.

    It lies in that directory, which may be where the user stands, or a file system of its own.
    Raises `UsageError` if the directory holds something, but for what a killed process left.
    """
    made = not directory.exists()
    if not made:
        sweep(directory)
        if not directory.is_dir() or any(directory.iterdir()):
            raise UsageError(f"{directory}: is there already; give a new or empty directory")
    directory.mkdir(parents=True, exist_ok=True)
    try:
        with scratch_directory(directory) as scratch:
            content = scratch / "content"
            content.mkdir()
            yield content
            # folders first: a file at the top may tell of them
            for entry in sorted(
                os.scandir(content), key=lambda e: e.is_file(follow_symlinks=False)
            ):
                Path(entry.path).replace(directory / entry.name)
    except BaseException:
        if made:
            shutil.rmtree(directory, ignore_errors=True)
        raise


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
        try:
            yield
        finally:  # to close it is not enough: a fork of this process may have it open, too
            fcntl.flock(file, fcntl.LOCK_UN)


def publish(root: Path, dest: Path) -> Path:
    """Move a finished tree to its place, where another may have been first; return the place."""
    if not dest.exists():
        try:
            return root.rename(dest)
        except OSError:
            if not dest.is_dir():
                raise
    shutil.rmtree(root)
    return dest


def sweep(work: Path | None = None) -> None:
    """Remove what processes that were killed have left.

    That is where temporary files go, in `work`, and in the folders in it.
    """
    places: Iterator[Path] = Path(tempfile.gettempdir()).glob(f"{PREFIX}*")
    if work:
        places = chain(places, work.glob(f"{PREFIX}*"), work.glob(f"*/{PREFIX}*"))
    for place in places:
        if _is_abandoned(place):
            shutil.rmtree(place, ignore_errors=True)


def _here() -> str:
    """Name what numbers of processes count in: a machine, or a container on it."""
    return f"{socket.gethostname()}.{Path('/proc/self/ns/pid').stat().st_ino}"


def _mine() -> str:
    return f"{PREFIX}{_here()}-{os.getpid()}-{_start(os.getpid())}-"


def _start(process: int) -> str:
    """Return when a process started, or "" if it has ended: numbers are used again."""
    try:
        status = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if status[0] in "ZX" else status[19]


def _is_abandoned(place: Path) -> bool:
    owner, dash, start = place.name.removeprefix(PREFIX).rpartition("-")[0].rpartition("-")
    if not dash:
        return False  # not named by this module
    here, _, process = owner.rpartition("-")
    if here == _here() and process.isdigit():
        return _start(int(process)) != start
    try:
        return time.time() - place.stat().st_mtime > ABANDONED_S
    except FileNotFoundError:  # another's, which has just ended
        return False
