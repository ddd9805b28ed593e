"""What follows from an object that never changes is worked out once and kept with it."""

from collections.abc import Callable
from typing import Any, Self, TypeVar

T = TypeVar("T")


class Unchanging:
    """Carries what has been derived from it, for as long as it lives itself."""

    def __init__(self) -> None:
        self._derived: dict[Callable[[Any], Any], Any] = {}

    def once(self, derive: Callable[[Self], T]) -> T:
        """Return `derive(self)`, which nothing but `self` decides; whoever gets it leaves it so."""
        if derive not in self._derived:
            self._derived[derive] = derive(self)
        found: T = self._derived[derive]
        return found
