"""Trees of files: their git hash, their files, edited copies, and packing.

Bytes stay bytes: contents are never decoded, names that are not UTF-8 travel as `surrogateescape`
strings, symbolic links are kept as links and never followed. As in git, a tree has regular files,
executable files and links; empty directories do not exist, and a `.git` at the top is skipped.
"""

import hashlib
import io
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from featuredel.tarfiles import tarfile

MODE_FILE = 0o100644
MODE_EXECUTABLE = 0o100755
MODE_LINK = 0o120000
_MODE_TREE = 0o40000
_GIT_DIRECTORY = ".git"


def name_bytes(path: str) -> bytes:
    """Return the bytes of a path as they stand on disk and in git."""
    return path.encode("utf-8", "surrogateescape")


def name_text(path: bytes) -> str:
    """Return the string that stands for the bytes of a path; the inverse of `name_bytes`."""
    return path.decode("utf-8", "surrogateescape")


def git_mode(path: Path) -> int:
    """Return the mode that git would record for a file or link."""
    return _entry_mode(path.lstat().st_mode)


def files(root: Path) -> Iterator[str]:
    """Yield the POSIX paths of all files and links under `root`, sorted by their bytes."""
    yield from sorted(_walk(root, ""), key=name_bytes)


def tree_hash(root: Path) -> str:
    """Return the git tree hash (SHA-1, hex) of the directory, as `git write-tree` would."""
    return (_hash_directory(root, top=True) or _object_id("tree", b"")).hex()


def object_ids(root: Path) -> frozenset[str]:
    """Return the ids (SHA-1, hex) of all objects that git would store for the directory."""
    found: set[bytes] = set()
    top = _hash_directory(root, top=True, found=found) or _object_id("tree", b"")
    return frozenset(oid.hex() for oid in (*found, top))


def read(root: Path, path: str) -> bytes:
    """Return what git stores for a path: a file's bytes, or where a link points."""
    full = root / path
    return os.fsencode(full.readlink()) if full.is_symlink() else full.read_bytes()


def build_tree(base: Path, edits: Mapping[str, bytes | None], dest: Path) -> None:
    """Make `dest` the tree `base` with `edits` applied. `dest` must be absent or empty.

    What is unchanged is hard-linked where the file system allows it, so neither tree may be
    written to afterwards. An edited file keeps the mode it has in `base`; a new one, or one that
    was a link, is 0644. A value of None removes the path; directories left empty are not made.

    Raises `ValueError` for a path that leaves the tree or passes through a link.
    """
    for path in edits:
        check_inside(base, path)
    dest.mkdir(parents=True, exist_ok=True)
    made = {""}
    for path in _walk(base, ""):
        if path not in edits:
            _make_parent(dest, path, made)
            _link_or_copy(base / path, dest / path)
    for path, content in edits.items():
        if content is not None:
            _make_parent(dest, path, made)
            write_file(dest / path, content, _edited_mode(base / path))


def write_file(path: Path, content: bytes, mode: int) -> None:
    """Write a new file or link of a git mode; for a link, `content` is where it points."""
    if mode == MODE_LINK:
        path.symlink_to(name_text(content))
        return
    path.write_bytes(content)
    path.chmod(mode & 0o777)


def pack(root: Path) -> bytes:
    """Return the tree as a tar archive whose bytes depend on the tree alone."""
    buffer = io.BytesIO()
    with tarfile.open(
        fileobj=buffer,
        mode="w",
        format=tarfile.GNU_FORMAT,
        encoding="utf-8",
        errors="surrogateescape",
    ) as archive:
        for path in files(root):
            content = read(root, path)
            member = tarfile.TarInfo(path)  # owner, group and time stay at their zeros
            mode = git_mode(root / path)
            member.mode = mode & 0o777
            if mode == MODE_LINK:
                member.type = tarfile.SYMTYPE
                member.mode = 0o777
                member.linkname = name_text(content)
                archive.addfile(member)
            else:
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def unpack(data: bytes, dest: Path) -> None:
    """Make `dest` the tree that `pack` was given.

    Raises `tarfile.FilterError` for an entry that would leave `dest`.
    """
    dest.mkdir(parents=True, exist_ok=True)
    with tarfile.open(
        fileobj=io.BytesIO(data), mode="r:", encoding="utf-8", errors="surrogateescape"
    ) as archive:
        archive.extractall(dest, filter="data")


def _walk(directory: Path | str, prefix: str) -> Iterator[str]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if not prefix and entry.name == _GIT_DIRECTORY:
                continue
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, path + "/")
            elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
                yield path


def _hash_directory(
    directory: Path | str, top: bool = False, found: set[bytes] | None = None
) -> bytes | None:
    """Return the object id of a directory, or None if git would not see it.

    The ids of what is in it are added to `found`.
    """
    rows: list[tuple[bytes, bytes, int, bytes]] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if top and entry.name == _GIT_DIRECTORY:
                continue
            name = os.fsencode(entry.name)
            if entry.is_dir(follow_symlinks=False):
                if child := _hash_directory(entry.path, found=found):
                    # git sorts a directory as if its name ended in a slash
                    rows.append((name + b"/", name, _MODE_TREE, child))
            elif entry.is_symlink():
                target = os.fsencode(Path(entry.path).readlink())
                rows.append((name, name, MODE_LINK, _object_id("blob", target)))
            elif entry.is_file(follow_symlinks=False):
                mode = _entry_mode(entry.stat(follow_symlinks=False).st_mode)
                rows.append((name, name, mode, _hash_file(entry.path)))
    if not rows:
        return None
    if found is not None:
        found.update(oid for *_, oid in rows)
    body = b"".join(b"%o %s\0%s" % (mode, name, oid) for _, name, mode, oid in sorted(rows))
    return _object_id("tree", body)


def _hash_file(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return _object_id("blob", file.read())


def _object_id(kind: str, body: bytes) -> bytes:
    digest = hashlib.sha1(f"{kind} {len(body)}\0".encode(), usedforsecurity=False)
    digest.update(body)
    return digest.digest()


def _entry_mode(mode: int) -> int:
    if stat.S_ISLNK(mode):
        return MODE_LINK
    return MODE_EXECUTABLE if mode & stat.S_IXUSR else MODE_FILE


def check_inside(base: Path, path: str) -> None:
    """Raise `ValueError` for a path that leaves a tree or passes through a link."""
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or path.startswith("/") or "\0" in path:
        raise ValueError(f"not a path inside the tree: {path!r}")
    parent = base
    for part in parts[:-1]:
        parent = parent / part
        if parent.is_symlink():
            raise ValueError(f"path through a symbolic link: {path!r}")


def _make_parent(dest: Path, path: str, made: set[str]) -> None:
    parent = path.rpartition("/")[0]
    if parent not in made:
        (dest / parent).mkdir(parents=True, exist_ok=True)
        made.add(parent)


def _link_or_copy(source: Path, dest: Path) -> None:
    try:
        os.link(source, dest, follow_symlinks=False)
    except OSError:  # another file system, too many links, or none at all
        shutil.copy2(source, dest, follow_symlinks=False)


def _edited_mode(path: Path) -> int:
    try:
        mode = git_mode(path)
    except OSError:
        return MODE_FILE
    return MODE_FILE if mode == MODE_LINK else mode
