"""How much of one file, and of everything, is looked at; what is hostile ends here."""

import time
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a scan. Whatever goes past one is a finding: what was not read proves nothing."""

    file_bytes: int = 4 << 30
    """The apparent size of one file; a sparse one counts as what a reader would see."""

    expanded_bytes: int = 2 << 30
    """What all views of one file may come to, beyond the file itself."""

    ratio: int = 200
    """How often larger than the file its views may be, once they come to `ratio_from_bytes`."""

    ratio_from_bytes: int = 256 << 20

    views: int = 400_000
    """Views of one file: members, objects, rows, and what is in them."""

    depth: int = 16
    """Archives in archives."""

    file_s: float = 300.0
    """Time for one file with all its views."""

    entries: int = 10_000_000
    """Files, links and directories of all roots together."""

    total_s: float = 3600.0
    """Time for everything."""


class Exceeded(Exception):  # noqa: N818 -- a result, named as one
    """A file went past a bound; the message says which."""


@dataclass(slots=True)
class Budget:
    """What is left for one file; raises `Exceeded` where nothing is."""

    bounds: Bounds
    size_bytes: int
    """Of the file itself."""

    ends_at: float = 0.0
    expanded_bytes: int = 0
    views: int = 0
    _limit_bytes: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Start the clock of the file, which cannot outlast that of the whole."""
        ends_at = time.monotonic() + self.bounds.file_s
        self.ends_at = min(ends_at, self.ends_at) if self.ends_at else ends_at
        by_ratio = max(self.bounds.ratio_from_bytes, self.bounds.ratio * self.size_bytes)
        self._limit_bytes = min(self.bounds.expanded_bytes, by_ratio)

    def spend(self, size_bytes: int = 0) -> None:
        """Count bytes that were unpacked, and the time."""
        self.expanded_bytes += size_bytes
        if self.expanded_bytes > self._limit_bytes:
            raise Exceeded(f"unpacks to more than {self._limit_bytes} bytes")
        self.tick()

    def view(self) -> None:
        """Count a view."""
        self.views += 1
        if self.views > self.bounds.views:
            raise Exceeded(f"has more than {self.bounds.views} parts")

    def tick(self) -> None:
        """Look at the clock."""
        if time.monotonic() > self.ends_at:
            raise Exceeded("takes too long to read")

    def left_s(self) -> float:
        """Return the seconds that are left; never less than a moment."""
        return max(self.ends_at - time.monotonic(), 0.001)
