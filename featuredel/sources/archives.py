"""Writing trees that somebody else made: source archives, and whatever else lists files.

Everything is refused that could write, read or point outside of the tree, and everything that is
larger than the bounds; the sizes are bounded while reading, so a small file that unpacks to a
huge one costs no more than the bounds.
"""

import bz2
import gzip
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from featuredel import trees
from featuredel.errors import Rejected
from featuredel.tarfiles import tarfile

UNSAFE_ARCHIVE = "unsafe archive"
DAMAGED_ARCHIVE = "damaged archive"
TOO_LARGE = "too large"

# history, and the compiled form of what will be deleted
_LEFT_OUT = frozenset({".git", "__pycache__"})
_MAX_NAME_BYTES = 255
_MAX_PATH_BYTES = 1024
_HEADER_BYTES = 2048  # what a file costs in an archive, above its content
_DECOMPRESSORS: dict[bytes, Callable[[Path], object]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x5d\x00\x00": lzma.open,
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much a tree may hold. Each is inclusive."""

    file_bytes: int
    tree_bytes: int
    files: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or link that is to be written; `read` is called at most once, in order."""

    path: str
    mode: int  # of git
    size_bytes: int  # `read` gives no more than this
    read: Callable[[], bytes]


def unpack_archive(archive: Path, dest: Path, bounds: Bounds) -> None:
    """Unpack a tar or zip archive into `dest`, a new directory; its one top folder is left out.

    Raises `Rejected`: "unsafe archive", "damaged archive" or "too large", with the entry's name.
    """
    everything = dest.with_name(dest.name + ".all")
    try:
        if zipfile.is_zipfile(archive):
            write_tree(_zip_entries(archive), everything, bounds)
        else:
            with _decompressed(archive, bounds) as stream:
                write_tree(_tar_entries(stream), everything, bounds)
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        OSError,  # gzip and bz2 say so of their data
        NotImplementedError,  # of zipfile, for a compression that it does not know
    ) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # it is not the archive, but this machine
        raise Rejected(DAMAGED_ARCHIVE, f"{archive.name}: {error}") from error
    inside = list(everything.iterdir())
    alone = len(inside) == 1 and inside[0].is_dir() and not inside[0].is_symlink()
    (inside[0] if alone else everything).rename(dest)
    check_links(dest)


def write_tree(
    entries: Iterable[Entry], dest: Path, bounds: Bounds, unsafe: str = UNSAFE_ARCHIVE
) -> None:
    """Write the entries below `dest`, a new directory, but for `.git` and `__pycache__`.

    Links are written last, so nothing is written through one; where they lead is for
    `check_links` to say. Raises `Rejected(unsafe)` or `Rejected("too large")`.
    """
    dest.mkdir(parents=True)
    directories, written = {""}, set[str]()
    links: dict[str, bytes] = {}
    total_bytes = 0
    for entry in entries:
        path = _checked_path(entry.path, unsafe)
        if not _LEFT_OUT.isdisjoint(path.split("/")):
            continue
        total_bytes += entry.size_bytes
        _check_size(entry, total_bytes, len(written) + 1, bounds)
        content = entry.read()
        if path in written:
            if links.get(path) != content and (path in links or trees.read(dest, path) != content):
                raise Rejected(unsafe, f"listed twice with different content: {path!r}")
            continue
        _make_directories(dest, path, directories, written, unsafe)
        written.add(path)
        if entry.mode == trees.MODE_LINK:
            links[path] = content
        else:
            trees.write_file(dest / path, content, entry.mode)
    for path, target in links.items():
        if not 0 < len(target) <= _MAX_PATH_BYTES or b"\0" in target:
            raise Rejected(unsafe, f"a link to what is no path: {path!r}")
        trees.write_file(dest / path, target, trees.MODE_LINK)


def check_links(root: Path, unsafe: str = UNSAFE_ARCHIVE) -> None:
    """Raise `Rejected(unsafe)` if a link below `root` is absolute or leads out of it."""
    top = root.resolve()
    for path in trees.files(root):
        link = root / path
        if not link.is_symlink():
            continue
        target = link.readlink()
        # resolved by the file system: `a/..` is not here if `a` is itself a link; links that
        # lead round in a circle lead nowhere
        if target.is_absolute() or not Path(os.path.realpath(link)).is_relative_to(top):
            raise Rejected(unsafe, f"a link out of the tree: {path!r} -> {str(target)!r}")


def _checked_path(path: str, unsafe: str) -> str:
    parts = path.split("/")
    while len(parts) > 1 and parts[0] == ".":
        del parts[0]
    encoded = [trees.name_bytes(part) for part in parts]
    too_long = sum(map(len, encoded)) + len(encoded) > _MAX_PATH_BYTES or any(
        len(part) > _MAX_NAME_BYTES for part in encoded
    )
    if too_long or "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise Rejected(unsafe, f"a name that leaves the tree, or is none: {path[:200]!r}")
    return "/".join(parts)


def _check_size(entry: Entry, total_bytes: int, count: int, bounds: Bounds) -> None:
    if entry.size_bytes > bounds.file_bytes:
        found = f"{entry.path!r} has {entry.size_bytes:,} bytes"
        raise Rejected(TOO_LARGE, f"{found}; max_file_bytes is {bounds.file_bytes:,}")
    if total_bytes > bounds.tree_bytes:
        raise Rejected(TOO_LARGE, f"more bytes than max_tree_bytes, {bounds.tree_bytes:,}")
    if count > bounds.files:
        raise Rejected(TOO_LARGE, f"more files than max_files, {bounds.files:,}")


def _make_directories(
    dest: Path, path: str, directories: set[str], written: set[str], unsafe: str
) -> None:
    if path in directories:
        raise Rejected(unsafe, f"a file and a directory at once: {path!r}")
    parent = ""
    for part in path.split("/")[:-1]:
        parent = f"{parent}/{part}" if parent else part
        if parent in written:
            raise Rejected(unsafe, f"a file and a directory at once: {parent!r}")
        if parent not in directories:
            (dest / parent).mkdir()
            directories.add(parent)


class _BoundedReader:
    """Reads a decompressed stream, and gives up after a number of bytes."""

    def __init__(self, stream: BinaryIO, most_bytes: int) -> None:
        self._stream = stream
        self._left_bytes = most_bytes

    def read(self, size_bytes: int) -> bytes:
        data = self._stream.read(size_bytes)
        self._left_bytes -= len(data)
        if self._left_bytes < 0:
            raise Rejected(TOO_LARGE, "the archive unpacks to more than max_tree_bytes")
        return data

    def __enter__(self) -> "_BoundedReader":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()


def _decompressed(archive: Path, bounds: Bounds) -> _BoundedReader:
    with archive.open("rb") as file:
        magic = file.read(8)
    stream: object = None
    for prefix, opener in _DECOMPRESSORS.items():
        if magic.startswith(prefix):
            stream = opener(archive)
    if stream is None:
        stream = archive.open("rb")
    most_bytes = bounds.tree_bytes + (bounds.files + 512) * _HEADER_BYTES
    return _BoundedReader(cast(BinaryIO, stream), most_bytes)


def _tar_entries(stream: _BoundedReader) -> Iterator[Entry]:
    # "r|": one pass over the stream, nothing is read ahead
    with tarfile.open(
        fileobj=cast(BinaryIO, stream), mode="r|", encoding="utf-8", errors="surrogateescape"
    ) as archive:
        for member in archive:
            if member.isdir():
                _checked_path(member.name.rstrip("/"), UNSAFE_ARCHIVE)
                continue
            if not (member.isreg() or member.issym()):
                kind = "a hard link" if member.islnk() else "a device or pipe"
                raise Rejected(UNSAFE_ARCHIVE, f"{kind}: {member.name!r}")
            try:
                tarfile.data_filter(member, "/")
            except tarfile.FilterError as error:
                raise Rejected(UNSAFE_ARCHIVE, str(error)) from error
            yield _tar_entry(archive, member)


def _tar_entry(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Entry:
    if member.issym():
        target = trees.name_bytes(member.linkname)
        return Entry(member.name, trees.MODE_LINK, len(target), lambda: target)

    def read() -> bytes:
        file = archive.extractfile(member)
        assert file is not None  # it is a regular file
        with file:
            return file.read()

    return Entry(member.name, _file_mode(member.mode), member.size, read)


def _zip_entries(archive: Path) -> Iterator[Entry]:
    with zipfile.ZipFile(archive) as file:
        for info in file.infolist():
            if info.is_dir():
                _checked_path(info.filename.rstrip("/"), UNSAFE_ARCHIVE)
                continue
            mode = info.external_attr >> 16
            if info.flag_bits & 1:
                raise Rejected(UNSAFE_ARCHIVE, f"encrypted: {info.filename!r}")
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFLNK):
                raise Rejected(UNSAFE_ARCHIVE, f"a device or pipe: {info.filename!r}")
            git_mode = trees.MODE_LINK if stat.S_ISLNK(mode) else _file_mode(mode)
            yield Entry(info.filename, git_mode, info.file_size, partial(file.read, info))


def _file_mode(mode: int | None) -> int:
    executable = (mode or 0) & stat.S_IXUSR
    return trees.MODE_EXECUTABLE if executable else trees.MODE_FILE
