"""Which variants share a fork: those whose tests are disjoint, more of them while that holds."""

from collections import deque
from typing import Any, Deque, Dict, List, Sequence, Set


class Shares:
    """Hands out groups of variants, and takes back those that were not told apart."""

    def __init__(self, variants: Dict[int, Dict[str, Any]], most: int) -> None:
        """Of `variants`, those that may share a fork do, `most` in one."""
        self._left: Deque[int] = deque(sorted(variants))
        self._halves: List[Sequence[int]] = []
        self._variants = variants
        self._most = most
        self._size = min(2, most)

    def next(self) -> List[int]:
        """Return the next group; an empty one at the end."""
        if self._halves:
            return list(self._halves.pop())
        if not self._left:
            return []
        group = [self._left.popleft()]
        if not self._variants[group[0]]["alone"]:
            taken = self._tests(group[0])
            for number in list(self._left):
                if len(group) == self._size:
                    break
                own = self._tests(number)
                if not self._variants[number]["alone"] and taken.isdisjoint(own):
                    self._left.remove(number)
                    group.append(number)
                    taken |= own
        return group

    def ran(self, group: Sequence[int], alone: Sequence[int], split: Sequence[int]) -> None:
        """Hand out again what a group left open; the next are larger only if it was not split.

        Of one variant alone nothing is open.
        """
        if len(group) == 1:
            return
        self._halves += [[number] for number in alone]
        middle = len(split) // 2
        self._halves += [half for half in (split[:middle], split[middle:]) if half]
        self._size = max(1, self._size // 2) if split else min(self._most, 2 * self._size)

    def _tests(self, number: int) -> Set[str]:
        return set(self._variants[number]["ids"] or ())
