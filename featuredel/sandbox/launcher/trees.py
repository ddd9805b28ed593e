"""Copies of directory trees: directories, files and symbolic links; nothing else crosses."""

# pathlib takes longer to import than all of this
# ruff: noqa: PTH101, PTH102, PTH106, PTH108, PTH112, PTH114, PTH115, PTH123, PTH208, PTH211

import os
import stat

BLOCK_BYTES = 1 << 20
WRITE = 0o222
STICKY = 0o1777  # in such a directory nobody moves what is another's
ENAMETOOLONG = 36
MOST_FOLDERS = 200
"""One in the other: deeper trees would need more of the stack than there is."""


def copy(source: str, target: str) -> None:
    """Copy all of `source` over `target`."""
    copy_changes(source, [], target)


def copy_changes(source: str, layers: list[str], target: str) -> None:
    """Copy over `target` what is in `source` and is not the same in the first layer that has it.

    What the layers have and `source` has not goes unnoticed.
    """
    with os.scandir(source) as entries:
        for entry in entries:
            path = f"{target}/{entry.name}"
            below = [f"{layer}/{entry.name}" for layer in layers]
            if entry.is_dir(follow_symlinks=False):
                copy_directory(entry, below, path)
            elif not same(entry.path, first(below)):
                copy_entry(entry, path)


def copy_directory(entry: "os.DirEntry[str]", below: list[str], path: str) -> None:
    """Copy a directory with what changed in it, unless it is an old one without changes."""
    layers = [layer for layer in below if is_directory(layer)]
    made = not is_directory(path)
    if made:
        clear(path)
        os.mkdir(path)
    copy_changes(entry.path, layers, path)
    if made and layers and not os.listdir(path):
        os.rmdir(path)
    else:
        os.chmod(path, stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode) & 0o777)


def copy_entry(entry: "os.DirEntry[str]", path: str) -> None:
    """Copy a file or a symbolic link; leave out whiteouts, pipes, sockets and devices."""
    if entry.is_symlink():
        clear(path)
        os.symlink(os.readlink(entry.path), path)
    elif entry.is_file(follow_symlinks=False):
        clear(path)
        copy_file(entry.path, path)


def copy_file(source: str, target: str) -> None:
    """Copy a regular file with its permissions and times."""
    status = os.lstat(source)
    reader = os.open(source, os.O_RDONLY | os.O_NOFOLLOW)
    writer = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        while os.sendfile(writer, reader, None, BLOCK_BYTES):
            pass
        os.fchmod(writer, stat.S_IMODE(status.st_mode) & 0o777)
        os.utime(writer, ns=(status.st_atime_ns, status.st_mtime_ns))
    finally:
        os.close(reader)
        os.close(writer)


def clear(path: str) -> None:
    """Remove whatever is at `path`, as a layer does with what is below it."""
    if is_directory(path):
        for name in os.listdir(path):
            clear(f"{path}/{name}")
        os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)


def shut(paths: "list[str]", root: str) -> "list[str]":
    """Let these files of a tree be written, and what leads to them be moved, by owners alone.

    Others may make files beside them. Returns all that is to be another's than the command's.
    """
    if not paths:
        return []
    above = {path[:at] for path in paths for at, char in enumerate(path) if char == "/"}
    files = [f"{root}/{path}" for path in paths]
    places = [root, *(f"{root}/{path}" for path in sorted(above))]
    for file in files:
        os.chmod(file, stat.S_IMODE(os.lstat(file).st_mode) & ~WRITE)
    for place in places:
        os.chmod(place, STICKY)
    return places + files


def is_directory(path: str) -> bool:
    """Say whether `path` is a directory and not a link to one."""
    return os.path.isdir(path) and not os.path.islink(path)


def first(paths: list[str]) -> str | None:
    """Return the first path at which there is something."""
    return next((path for path in paths if os.path.lexists(path)), None)


def same(path: str, other: str | None) -> bool:
    """Say whether two paths are the same link, or files of the same mode and content."""
    if other is None:
        return False
    here, there = os.lstat(path), os.lstat(other)
    if here.st_mode != there.st_mode:
        return False
    if stat.S_ISLNK(here.st_mode):
        return os.readlink(path) == os.readlink(other)
    if not stat.S_ISREG(here.st_mode) or here.st_size != there.st_size:
        return False
    with open(path, "rb") as one, open(other, "rb") as two:
        while block := one.read(BLOCK_BYTES):
            if block != two.read(BLOCK_BYTES):
                return False
    return True


def can_be_copied(paths: "list[str]", most_bytes: int) -> bool:
    """Say whether trees that a command has written are neither too large nor too deep to copy."""
    try:
        return sum(map(size_bytes, paths)) <= most_bytes
    except RecursionError:
        return False
    except OSError as error:
        if error.errno != ENAMETOOLONG:
            raise
        return False


def size_bytes(path: str, deepest: int = MOST_FOLDERS) -> int:
    """Return an upper bound of what a copy of the tree takes, in memory pages.

    Raises `RecursionError` for a tree of more folders in one another than `deepest`.
    """
    if deepest == 0:
        raise RecursionError(path)
    total = 0
    with os.scandir(path) as entries:
        for entry in entries:
            total += entry.stat(follow_symlinks=False).st_size + 4096
            if entry.is_dir(follow_symlinks=False):
                total += size_bytes(entry.path, deepest - 1)
    return total
