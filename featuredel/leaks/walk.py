"""Every file under some roots, without following, opening or waiting for what is not one."""

import mmap
import os
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from featuredel.leaks.bounds import Bounds
from featuredel.leaks.finding import Finding
from featuredel.leaks.views.view import Content, View

MAPPED_BYTES = 1 << 20
"""Files from this size on are mapped; smaller ones are quicker to read."""

_SPECIAL = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
)


def walk(roots: Sequence[Path], bounds: Bounds) -> Iterator[View | Finding]:
    """Yield names (of all entries, links' targets, extended attributes) and contents.

    The views of a file follow each other, its names first. `where` is the path with the root as it
    was given. Directories are gone through in the order of their names.
    """
    left, ends_at = bounds.entries, time.monotonic() + bounds.total_s
    for root in roots:
        for path, status in _entries(root):
            left -= 1
            if left < 0 or time.monotonic() > ends_at:
                what = f"{bounds.entries} entries" if left < 0 else f"{bounds.total_s:.0f} s"
                yield Finding(str(root), "names", "bounds", "", f"more than {what} in all")
                return
            yield from _views_of(path, status, bounds)


def _entries(root: Path) -> Iterator[tuple[str, os.stat_result | OSError]]:
    todo = [str(root)]
    while todo:
        path = todo.pop()
        try:
            status = os.lstat(path)
            children = []
            if stat.S_ISDIR(status.st_mode):
                with os.scandir(path) as found:
                    children = [entry.name for entry in found]
        except OSError as error:
            yield path, error
            continue
        yield path, status
        todo += (f"{path}/{child}" for child in sorted(children, reverse=True))


def _views_of(
    path: str, status: os.stat_result | OSError, bounds: Bounds
) -> Iterator[View | Finding]:
    where = _shown(path)
    # what lies above is an entry of its own, or above the root
    yield View("names", where, os.fsencode(os.path.basename(path)), deeper=False)  # noqa: PTH119
    if isinstance(status, OSError):
        yield _unread(where, status)
        return
    mode = status.st_mode
    try:
        yield from _attributes(path, where)
        if stat.S_ISLNK(mode):
            yield from _link(path, where)
        elif stat.S_ISREG(mode):
            if status.st_size > bounds.file_bytes:
                detail = f"{status.st_size} bytes are more than is read of one file"
                yield Finding(where, "raw", "bounds", "", detail)
            elif status.st_size:
                yield View("raw", where, _content(path), file=Path(path))
        else:
            yield from (
                Finding(where, "raw", "bounds", "", f"{what} cannot be read")
                for is_one, what in _SPECIAL
                if is_one(mode)
            )
    except OSError as error:
        yield _unread(where, error)


def _attributes(path: str, where: str) -> Iterator[View]:
    for attribute in _listed(path):
        value = os.getxattr(path, attribute, follow_symlinks=False)
        content = os.fsencode(attribute) + b"\n" + value
        yield View("xattr", f"{where}!{attribute}", content)


def _listed(path: str) -> list[str]:
    try:
        return os.listxattr(path, follow_symlinks=False)
    except OSError:  # the file system has none
        return []


def _link(path: str, where: str) -> Iterator[View | Finding]:
    target = os.fsencode(os.readlink(path))  # noqa: PTH115 -- Path would cost more than the rest
    yield View("link", f"{where}!target", target, deeper=False)
    try:
        os.stat(path)  # noqa: PTH116
    except OSError as error:
        if error.errno == 40:
            yield Finding(where, "link", "bounds", "", "a symbolic link that leads to itself")


def _content(path: str) -> Content:
    # what was a file a moment ago may be a FIFO now: never wait for it
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "is no longer a file", path)
        if status.st_size >= MAPPED_BYTES:
            return mmap.mmap(opened, 0, access=mmap.ACCESS_READ)
        return os.read(opened, MAPPED_BYTES)
    finally:
        os.close(opened)


def _unread(where: str, error: OSError) -> Finding:
    return Finding(where, "raw", "bounds", "", f"cannot be read: {error.strerror}")


def _shown(path: str) -> str:
    return os.fsencode(path).decode(errors="backslashreplace")
