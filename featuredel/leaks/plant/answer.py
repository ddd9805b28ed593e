"""What is planted: a tree that still has the deleted code, and the needles of that code."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from featuredel.leaks.needles import Needles


@dataclass(frozen=True, slots=True)
class Answer:
    """Deleted code in its place."""

    name: str
    root: Path  # the whole tree, before the deletion; never written to
    deleted: Mapping[str, str]  # path -> the text that the deletion removed
    needles: Needles
    tests: tuple[str, ...] = ()  # files of tests that run the deleted code, and need only pytest

    @property
    def path(self) -> str:
        """Where most of it stands."""
        return max(sorted(self.deleted), key=lambda path: len(self._weighed(path)))

    @property
    def text(self) -> str:
        """Return the whole file where most of it stands."""
        return (self.root / self.path).read_text(encoding="utf-8", errors="surrogateescape")

    @property
    def paths(self) -> tuple[str, ...]:
        """Every module of the package of which something was deleted."""
        top = PurePosixPath(self.source, self.package)
        return tuple(p for p in sorted(self.deleted) if p.endswith(".py") and _is_in(p, top))

    @property
    def source(self) -> str:
        """The folder of the tree from which the code is imported, "" for the root."""
        folder = PurePosixPath(self.path).parent
        while (self.root / folder / "__init__.py").exists():
            folder = folder.parent
        return "" if folder == PurePosixPath() else folder.as_posix()

    @property
    def package(self) -> str:
        """The name of the top package or module, as a path below `source`."""
        return PurePosixPath(self.path).relative_to(self.source or ".").parts[0]

    @property
    def modules(self) -> tuple[str, ...]:
        """The dotted names of `paths`, the one of `path` first."""
        ordered = sorted(self.paths, key=lambda path: path != self.path)
        return tuple(_dotted(PurePosixPath(p).relative_to(self.source or ".")) for p in ordered)

    def _weighed(self, path: str) -> str:
        has_python = any(other.endswith(".py") for other in self.deleted)
        return self.deleted[path] if path.endswith(".py") or not has_python else ""


def _is_in(path: str, top: PurePosixPath) -> bool:
    return PurePosixPath(path).is_relative_to(top)


def _dotted(path: PurePosixPath) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
