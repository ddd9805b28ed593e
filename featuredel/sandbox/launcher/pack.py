"""Trees as a stream: directories, files and symbolic links; nothing else crosses.

A stream is a sequence of parts, each its length and a list of entries in the types of `marshal`;
an empty list ends it. It is read by the same program that wrote it, on the other side of a pipe.
"""

# pathlib takes longer to import than all of this
# ruff: noqa: PTH101, PTH102, PTH115, PTH123, PTH211

from __future__ import annotations

import marshal
import os
import stat

from . import trees

TYPE_CHECKING = False  # typing takes as long to import as all the rest
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

Entry = tuple[str, int, int, str, bytes]
"""Path, mode, time of change in ns, kind, content or target."""

PART_BYTES = 1 << 20
FORMAT = 2  # of marshal: the one that all versions of Python write and read alike
LENGTH_BYTES = 8


def entries(root: str, below: str = "") -> Iterator[Entry]:
    """Yield what is in a tree, each directory before what is in it."""
    with os.scandir(f"{root}/{below}") as found:
        children = sorted(found, key=lambda child: child.name)
    for child in children:
        path = f"{below}/{child.name}" if below else child.name
        status = child.stat(follow_symlinks=False)
        mode = stat.S_IMODE(status.st_mode) & 0o777
        if child.is_symlink():
            yield path, mode, status.st_mtime_ns, "link", os.fsencode(os.readlink(child.path))
        elif child.is_dir():
            yield path, mode, status.st_mtime_ns, "directory", b""
            yield from entries(root, path)
        elif child.is_file():
            with open(child.path, "rb") as file:
                yield path, mode, status.st_mtime_ns, "file", file.read()


def send(found: Iterator[Entry], to: IO[bytes]) -> None:
    """Write entries as a whole stream."""
    part: list[Entry] = []
    size = 0
    for entry in found:
        part.append(entry)
        size += len(entry[4]) + 100
        if size > PART_BYTES:
            _send_part(part, to)
            part, size = [], 0
    if part:
        _send_part(part, to)
    _send_part([], to)


def _send_part(part: list[Entry], to: IO[bytes]) -> None:
    give(marshal.dumps(part, FORMAT), to)


def give(data: bytes, to: IO[bytes]) -> None:
    """Write data with its length before it."""
    _write(to, len(data).to_bytes(LENGTH_BYTES, "big"))
    _write(to, data)


def _write(to: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[to.write(view) :]


def receive(source: IO[bytes]) -> Iterator[Entry]:
    """Yield the entries of a stream, up to its end."""
    while True:
        part = marshal.loads(take(source))  # noqa: S302 -- written by this program
        if not part:
            return
        yield from part


def take(source: IO[bytes]) -> bytes:
    """Read what was given with its length before it."""
    return exactly(source, int.from_bytes(exactly(source, LENGTH_BYTES), "big"))


def exactly(source: IO[bytes], size: int) -> bytes:
    """Read so many bytes. Raises `EOFError` if there are fewer."""
    data = bytearray()
    while len(data) < size:
        block = source.read(size - len(data))
        if not block:
            raise EOFError("the stream ends early")
        data += block
    return bytes(data)


def lay(found: Iterator[Entry], root: str) -> None:
    """Write entries below `root`, over what is there; a later one replaces an earlier one."""
    directories: dict[str, tuple[int, int]] = {}
    for path, mode, mtime_ns, kind, content in found:
        target = f"{root}/{path}"
        if kind == "directory":
            if not trees.is_directory(target):
                trees.clear(target)
                os.mkdir(target)
            directories[target] = mode, mtime_ns
            continue
        trees.clear(target)
        if kind == "link":
            os.symlink(os.fsdecode(content), target)
            continue
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "wb", buffering=0) as file:
            _write(file, content)
            os.fchmod(descriptor, mode)
            os.utime(descriptor, ns=(mtime_ns, mtime_ns))
    for target in sorted(directories, key=len, reverse=True):  # last: it may forbid writing into it
        mode, mtime_ns = directories[target]
        if trees.is_directory(target):
            os.chmod(target, mode)
            os.utime(target, ns=(mtime_ns, mtime_ns))
