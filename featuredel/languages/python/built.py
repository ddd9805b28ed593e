"""What an environment is put together from: wheels by version, and what had to be built."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from featuredel.languages.python import site


class Unresolvable(Exception):  # noqa: N818 -- internal: the next choice is tried
    """These requirements cannot be had for this interpreter; the message is uv's."""

    def __init__(self, message: str, names: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.names = frozenset(names)  # the distributions to blame, as far as they are known


@dataclass(frozen=True, slots=True)
class Built:
    """What a sandboxed build made, or the stand-in for one."""

    name: str
    version: str
    files: Path  # to be laid in site-packages
    requires: tuple[str, ...]
    extras: Mapping[str, tuple[str, ...]]
    command: str
    inputs: str  # the sha256 of the source archive, or the hash of the tree
    is_project: bool = False
    argv: tuple[str, ...] = ()  # what was run for it in the sandbox
    products: Path | None = None  # new files in the project's own tree

    def lay(self, prefix: Path, minor: tuple[int, int]) -> None:
        """Lay its files where they belong in a prefix."""
        site.lay(self.files, prefix, minor, described=not self.is_project)


@dataclass(frozen=True, slots=True)
class Lock:
    """All that goes beside the project: wheels by version, and what had to be built."""

    wheels: tuple[str, ...]  # "name==version", sorted
    built: tuple[Built, ...]
    depends_on_project: bool  # some of them do; the project by path satisfies them

    @property
    def pins(self) -> tuple[str, ...]:
        """Every distribution as "name==version", sorted."""
        return tuple(sorted((*self.wheels, *(f"{b.name}=={b.version}" for b in self.built))))


def named(requirement: str) -> str:
    """Return the distribution that a requirement names."""
    return canonicalize_name(Requirement(requirement).name)
