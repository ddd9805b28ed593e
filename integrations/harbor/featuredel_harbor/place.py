"""The directories that stand for the file system of one environment.

Commands see each directory at the top as a writable mount. No process is left when a command has
ended, so nothing moves here while this program works on it; links are another matter: what is
here was made by an agent, and no path is followed through one.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from featuredel import trees
from featuredel.sandbox import HOME, WORKSPACE, Mount
from featuredel.sandbox.launcher.trees import copy

STANDING = (WORKSPACE, "/logs", "/tests", "/solution", "/installed-agent", "/tmp", HOME)  # noqa: S108
"""What is there from the beginning."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file system below `root`."""

    root: Path

    def lay_out(self) -> None:
        """Make the directories that every environment has."""
        for path in STANDING:
            self.path(path).mkdir(parents=True, exist_ok=True)
            self.path(path).chmod(0o777)

    def path(self, seen: str) -> Path:
        """Return where a path of the environment is. Raises `OSError` if a link leads there."""
        inside = str(PurePosixPath("/", seen)).lstrip("/")
        if not inside:
            raise OSError(f"{seen}: the root itself")
        try:
            trees.check_inside(self.root, inside)
        except ValueError as error:
            raise OSError(str(error)) from None
        found = self.root / inside
        if found.is_symlink():
            raise OSError(f"{seen}: is a symbolic link")
        return found

    def mounts(self) -> Iterator[Mount]:
        """Yield the directories as commands see them; the home lies below one that they do not."""
        for child in sorted(self.root.iterdir()):
            if child.name != "home":
                yield Mount(child, f"/{child.name}", writable=True)
        yield Mount(self.path(HOME), HOME, writable=True)

    def put_file(self, source: Path, seen: str) -> None:
        """Copy a file in."""
        target = self.path(seen)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)

    def put_tree(self, source: Path, seen: str) -> None:
        """Copy what is in a directory in, over what is there."""
        target = self.path(seen)
        target.mkdir(parents=True, exist_ok=True)
        copy(str(source), str(target))

    def take_file(self, seen: str, target: Path) -> None:
        """Copy a regular file out."""
        source = self.path(seen)
        if not source.is_file():
            raise FileNotFoundError(f"{seen}: no such file")
        source.chmod(stat.S_IMODE(source.stat().st_mode) | stat.S_IRUSR)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)

    def take_tree(self, seen: str, target: Path) -> None:
        """Copy what is in a directory out: directories, files and links as links."""
        source = self.path(seen)
        if not source.is_dir():
            raise FileNotFoundError(f"{seen}: no such directory")
        _open_up(source)
        target.mkdir(parents=True, exist_ok=True)
        copy(str(source), str(target))


def _open_up(root: Path) -> None:
    """Make everything readable: an agent may have closed what it made."""
    root.chmod(0o700 | root.stat().st_mode & 0o777)
    with os.scandir(root) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _open_up(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                mode = entry.stat(follow_symlinks=False).st_mode & 0o777
                Path(entry.path).chmod(mode | stat.S_IRUSR)
