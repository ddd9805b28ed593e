"""Directories as layers of an image: the same bytes for the same content, whenever it is made."""

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from featuredel.tarfiles import tarfile

EPOCH_S = 946_684_800  # 2000-01-01, as git commits of tasks have it


@dataclass(frozen=True, slots=True)
class Part:
    """What becomes one layer: a directory at a path, and single files by path."""

    source: Path | None
    target: str
    owner: int = 0
    files: Mapping[str, bytes] = field(default_factory=dict)
    directories: Mapping[str, int] = field(default_factory=dict)  # empty ones, and their owners
    keep_times: bool = False
    wanted: Callable[[str], bool] = lambda path: True  # noqa: ARG005 -- of relative paths


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer in a file."""

    path: Path
    digest: str  # sha256:... of the file


def write_layer(part: Part, path: Path) -> Layer:
    """Write `part` to `path`. Names are sorted, times and owners neutral, modes reduced.

    Only directories, files and symbolic links come in.
    """
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        for above in _above(part.target):
            archive.addfile(_entry(above, tarfile.DIRTYPE, 0o755, 0))
        if part.target:
            archive.addfile(_entry(part.target, tarfile.DIRTYPE, 0o755, part.owner))
        if part.source is not None:
            for name in _names(part.source, part.wanted):
                _add(archive, part, name)
        for name, owner in sorted(part.directories.items()):
            archive.addfile(_entry(name, tarfile.DIRTYPE, 0o755, owner))
        for name, content in sorted(part.files.items()):
            entry = _entry(name, tarfile.REGTYPE, 0o644, part.owner)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return Layer(path, digest_of(path))


def digest_of(path: Path) -> str:
    """Return the digest of a file as an engine writes it."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def fingerprint(directory: Path) -> str:
    """Return what tells one state of a directory from another without reading its files."""
    digest = hashlib.sha256()
    for name in _names(directory, lambda path: True):  # noqa: ARG005
        status = (directory / name).lstat()
        digest.update(
            f"{name}\0{status.st_mode}\0{status.st_size}\0{status.st_mtime_ns}\n".encode(
                errors="surrogateescape"
            )
        )
    return digest.hexdigest()


def _names(directory: Path, wanted: Callable[[str], bool], below: str = "") -> Iterator[str]:
    for child in sorted(os.scandir(directory / below), key=lambda entry: entry.name):
        name = f"{below}/{child.name}" if below else child.name
        if wanted(name):
            yield name
            if child.is_dir(follow_symlinks=False):
                yield from _names(directory, wanted, name)


def _above(target: str) -> Iterable[str]:
    parts = target.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def _entry(name: str, kind: bytes, mode: int, owner: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = kind, mode, EPOCH_S
    entry.uid = entry.gid = owner
    return entry


def _add(archive: tarfile.TarFile, part: Part, name: str) -> None:
    assert part.source is not None
    path = part.source / name
    inside = f"{part.target}/{name}" if part.target else name
    executable = 0o111 if path.lstat().st_mode & 0o100 else 0
    if path.is_symlink():
        entry = _entry(inside, tarfile.SYMTYPE, 0o777, part.owner)
        entry.linkname = str(path.readlink())
        archive.addfile(entry)
    elif path.is_dir():
        archive.addfile(_entry(inside, tarfile.DIRTYPE, 0o755, part.owner))
    elif path.is_file():
        entry = _entry(inside, tarfile.REGTYPE, 0o644 | executable, part.owner)
        entry.size = path.stat().st_size
        if part.keep_times:
            entry.mtime = int(path.stat().st_mtime)
        with path.open("rb") as file:
            archive.addfile(entry, file)
