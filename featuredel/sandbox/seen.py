"""What a command sees of this machine besides its tree: what is mounted, and the listed part."""

import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from featuredel.sandbox import Command, Mount, SeenFile, host


@dataclass(frozen=True, slots=True)
class Mounted:
    """A part of it: what lies at some paths of this machine, but for folders that are hidden."""

    places: tuple[tuple[Path, str], ...]  # with the path in the sandbox
    hidden: tuple[str, ...] = ()  # paths in the sandbox

    @property
    def mark(self) -> str:
        """What tells this state of the files from any other; see `Ground.mark`."""
        found = hashlib.sha256()
        for file in self._files():
            status = file.path.lstat()
            facts = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
            found.update(os.fsencode(f"{file.seen}\0{file.path}") + repr(facts).encode())
        return found.hexdigest()

    @contextlib.contextmanager
    def files(self) -> Iterator[Sequence[SeenFile]]:
        """Give the files and links; see `Ground.files`."""
        yield tuple(self._files())

    def _files(self) -> Iterator[SeenFile]:
        for path, target in self.places:
            yield from files_below(path, target, self.hidden)


def of_mounts(mounts: Sequence[Mount], hidden: tuple[str, ...]) -> tuple[Mounted, ...]:
    """Return a part for each mount that cannot be written."""
    return tuple(
        Mounted(((mount.source, mount.target),), hidden) for mount in mounts if not mount.writable
    )


def of_machine(command: Command) -> tuple[Mounted, ...]:
    """Return what a command without a network sees of this machine, and its mounts."""
    listed = Mounted(tuple((path, str(path)) for path in host.shown()))
    return (listed, *of_mounts(command.mounts, command.hidden))


def files_below(root: Path, target: str, hidden: Sequence[str] = ()) -> Iterator[SeenFile]:
    """Yield files and links below `root`, seen at `target`, but not what is hidden."""
    if not root.is_dir():
        yield SeenFile(root, target)
        return
    todo = [target]
    while todo:
        folder = todo.pop()
        with os.scandir(f"{root}{folder.removeprefix(target)}") as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            seen = f"{folder}/{entry.name}"
            if not entry.is_dir(follow_symlinks=False):
                yield SeenFile(Path(entry.path), seen)
            elif seen not in hidden:
                todo.append(seen)
