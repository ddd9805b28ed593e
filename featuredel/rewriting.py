"""Rewriting a folder at one stroke: a reader finds the old one or the new, no mixture."""

import contextlib
import ctypes
import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from featuredel.errors import InfrastructureError
from featuredel.scratch import scratch_directory, sweep

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_CANNOT = frozenset({errno.EINVAL, errno.ENOSYS, errno.EBUSY, errno.EXDEV})
"""What the kernel says where two folders cannot change places: a network's file system, a mount."""


@contextlib.contextmanager
def rewritten(folder: Path) -> Iterator[Path]:
    """Yield a copy of a folder, which takes the folder's place at the end if nothing is raised.

    The files of the copy are links: replace them, never write into one. Where folders cannot
    change places, files are moved one by one, those at the top last. Raises
    `InfrastructureError` if somebody else has changed the folder meanwhile.
    """
    folder = folder.resolve()
    sweep(folder.parent)
    before = _state(folder)
    with scratch_directory(folder.parent) as scratch:
        copy = scratch / folder.name
        shutil.copytree(folder, copy, symlinks=True, copy_function=_link)
        yield copy
        if _state(folder) != before:
            raise InfrastructureError(f"{folder}: another process changed it; run this again")
        try:
            _exchange(copy, folder)
        except OSError as error:
            if error.errno not in _CANNOT:
                raise
            _move_over(copy, folder)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # a file system without links, or another user's file
        shutil.copy2(source, target, follow_symlinks=False)


def _state(folder: Path) -> dict[str, tuple[int, int]]:
    files = (path for path in folder.rglob("*") if not path.is_dir())
    return {
        path.relative_to(folder).as_posix(): (status.st_ino, status.st_mtime_ns)
        for path in files
        for status in [path.lstat()]
    }


def _exchange(one: Path, other: Path) -> None:
    """Let two folders change places, so that at no moment one is missing. Raises `OSError`."""
    libc = ctypes.CDLL(None, use_errno=True)
    places = _AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other)
    if libc.renameat2(*places, ctypes.c_uint(_RENAME_EXCHANGE)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(other))


def _move(file: Path, target: Path) -> None:
    """Put a file in the place of another, on whatever disk that is."""
    try:
        file.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        partial = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
        try:
            shutil.copy2(file, partial, follow_symlinks=False)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)


def _move_over(copy: Path, folder: Path) -> None:
    new = sorted(_state(copy), key=lambda file: ("/" not in file, file))
    for file in new:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        _move(copy / file, folder / file)
    for file in _state(folder).keys() - set(new):
        (folder / file).unlink()
