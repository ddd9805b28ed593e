"""Directories as layers of an image: the same bytes for the same content, whenever it is made."""

import hashlib
import io
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from featuredel.tarfiles import tarfile

EPOCH_S = 946_684_800  # 2000-01-01, as git commits of tasks have it


@dataclass(frozen=True, slots=True)
class Part:
    """What becomes one layer. Paths in the image are relative to its root."""

    sources: Mapping[str, Path] = field(default_factory=dict)  # files and directories, by target
    files: Mapping[str, bytes] = field(default_factory=dict)
    directories: Mapping[str, int] = field(default_factory=dict)  # empty ones, and their owners
    links: Mapping[str, str] = field(default_factory=dict)  # symbolic ones, and where they lead
    hidden: frozenset[str] = frozenset()  # directories that are empty, but for other sources
    owner: int = 0
    keep_times: bool = False


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
        for name in sorted(set(_between(part.sources))):
            archive.addfile(_entry(name, tarfile.DIRTYPE, 0o755, 0))
        for target, source in sorted(part.sources.items()):
            for name in _names(source, target, part.hidden):
                _add(archive, part, source / name if name else source, _joined(target, name))
        for name, owner in sorted(part.directories.items()):
            archive.addfile(_entry(name, tarfile.DIRTYPE, 0o755, owner))
        for name, leads_to in sorted(part.links.items()):
            archive.addfile(_link(name, leads_to, part.owner))
        for name, content in sorted(part.files.items()):
            entry = _entry(name, tarfile.REGTYPE, 0o644, part.owner)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return Layer(path, digest_of(path))


def digest_of(path: Path) -> str:
    """Return the digest of a file as an engine writes it."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def fingerprint(source: Path) -> str:
    """Return what tells one state of a file or directory from another without reading files."""
    digest = hashlib.sha256()
    for name in _names(source, "", frozenset()):
        status = (source / name if name else source).lstat()
        digest.update(
            f"{name}\0{status.st_mode}\0{status.st_size}\0{status.st_mtime_ns}\n".encode(
                errors="surrogateescape"
            )
        )
    return digest.hexdigest()


def _names(source: Path, target: str, hidden: frozenset[str], below: str = "") -> Iterator[str]:
    """Yield the paths in `source`, itself as "" to begin with, but for what is hidden."""
    path = source / below if below else source
    yield below
    if path.is_symlink() or not path.is_dir() or _joined(target, below) in hidden:
        return
    for child in sorted(os.scandir(path), key=lambda entry: entry.name):
        yield from _names(source, target, hidden, _joined(below, child.name))


def _joined(above: str, name: str) -> str:
    return f"{above}/{name}" if above and name else above or name


def _between(targets: Collection[str]) -> Iterator[str]:
    """Yield the directories that lead to targets and are in none of them."""
    for target in targets:
        parts = target.split("/")
        for count in range(1, len(parts)):
            name = "/".join(parts[:count])
            if not any(f"{name}/".startswith(f"{other}/") for other in targets):
                yield name


def _entry(name: str, kind: bytes, mode: int, owner: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = kind, mode, EPOCH_S
    entry.uid = entry.gid = owner
    return entry


def _link(name: str, leads_to: str, owner: int) -> tarfile.TarInfo:
    entry = _entry(name, tarfile.SYMTYPE, 0o777, owner)
    entry.linkname = leads_to
    return entry


def _add(archive: tarfile.TarFile, part: Part, path: Path, target: str) -> None:
    executable = 0o111 if path.lstat().st_mode & 0o100 else 0
    if path.is_symlink():
        archive.addfile(_link(target, str(path.readlink()), part.owner))
    elif path.is_dir():
        archive.addfile(_entry(target, tarfile.DIRTYPE, 0o755, part.owner))
    elif path.is_file():
        entry = _entry(target, tarfile.REGTYPE, 0o644 | executable, part.owner)
        entry.size = path.stat().st_size
        if part.keep_times:
            entry.mtime = int(path.stat().st_mtime)
        with path.open("rb") as file:
            archive.addfile(entry, file)
