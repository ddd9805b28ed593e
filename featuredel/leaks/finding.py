"""What a scan finds, and what it comes to."""

from dataclasses import dataclass
from typing import Literal

FindingKind = Literal["content", "path", "provenance", "bounds", "opaque"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a solver must not get, or of which nobody can say what it is."""

    where: str
    """The file, then what lies in it: `a.whl!b/c.pyc!consts`."""

    view: str
    """How it was seen: raw, names, zip, marshal."""

    kind: FindingKind
    needle: str
    """Of a `content` finding, its text; else empty."""

    detail: str
    """Of a `content` finding, the kind of needle; else what is wrong."""

    def __str__(self) -> str:
        """Say where, in which view, which needle."""
        what = f"{self.needle} ({self.detail})" if self.needle and self.detail else ""
        what = what or self.needle or self.detail
        told = f"{self.where}: {self.kind} in view {self.view}: {what}"
        # a name may hold what makes a terminal do something
        return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in told)


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found in how much."""

    findings: tuple[Finding, ...]
    files: int
    views: int
    bytes: int
    """Of all views together."""
