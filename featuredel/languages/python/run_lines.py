"""From the probe's records of lines to `Lines`: who executed what, shared fixtures included."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from featuredel.model import Lines, TestId

MAX_LINE = 1_000_000
MAX_SETS = 5_000_000

Label = int | str


@dataclass(frozen=True, slots=True)
class _LineSet:
    """Lines of one file."""

    path: str
    first: int
    mask: int  # bit i is line `first + i`

    def lines(self) -> Iterable[int]:
        mask, line = self.mask, self.first
        while mask:
            skip = (mask & -mask).bit_length() - 1
            line += skip
            yield line
            mask >>= skip + 1
            line += 1


@dataclass(slots=True)
class LineRecords:
    """All that was reported of lines so far."""

    sets: list[_LineSet] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    credited: dict[Label, set[int]] = field(default_factory=dict)  # label -> numbers of sets
    fixtures: dict[int, set[int]] = field(default_factory=dict)  # test -> numbers of fixtures

    def take(self, record: list[Any]) -> None:
        """Take in one record; what does not fit is skipped."""
        match record:
            case ["sets", [*described]]:
                for item in described:
                    self.sets.append(self._line_set(item))
                del self.sets[MAX_SETS:]
            case ["lines", [int() | str() as label], [*numbers]]:
                credited = self.credited.setdefault(label, set())
                credited.update(n for n in numbers if isinstance(n, int) and n >= 0)
            case ["uses", int(test), [*fixtures]]:
                used = self.fixtures.setdefault(test, set())
                used.update(n for n in fixtures if isinstance(n, int))
            case _:
                pass

    def _line_set(self, item: Any) -> _LineSet:
        nothing = _LineSet("", 0, 0)
        match item:
            case [str() | int() as file, int(first), str(mask)] if 0 <= first <= MAX_LINE:
                if isinstance(file, str):
                    self.files.append(file)
                elif not 0 <= file < len(self.files):
                    return nothing
                path = file if isinstance(file, str) else self.files[file]
                if not _is_inside(path) or len(mask) > MAX_LINE // 4:
                    return nothing
                try:
                    return _LineSet(path, first, int(mask, 16))
                except ValueError:
                    return nothing
        return nothing

    def lines(self, tests: Sequence[TestId]) -> Lines:
        """Return the lines by path and number; `tests` are the ids in the order of the run."""
        order = tuple(sorted(set(tests)))
        place = {test: index for index, test in enumerate(order)}
        users = self._users([place[test] for test in tests], tests)
        reached: dict[str, dict[int, int]] = {}
        for number, bits in self._bits(users, len(order)).items():
            found = self.sets[number]
            by_line = reached.setdefault(found.path, {})
            for line in found.lines():
                by_line[line] = by_line.get(line, 0) | bits
        imported: dict[str, set[int]] = {}
        for number in self.credited.get("i", ()):
            if number < len(self.sets) and self.sets[number].mask:
                found = self.sets[number]
                imported.setdefault(found.path, set()).update(found.lines())
        return Lines(
            tests=order,
            reached={path: dict(sorted(reached[path].items())) for path in sorted(reached)},
            imported={path: frozenset(imported[path]) for path in sorted(imported)},
        )

    def _users(self, places: Sequence[int], tests: Sequence[TestId]) -> Mapping[Label, list[int]]:
        """Return for each label the places of the tests that it stands for."""
        users: dict[Label, list[int]] = {}
        for number, test in enumerate(tests):
            users.setdefault(number, []).append(places[number])
            users.setdefault("m" + test.split("::", 1)[0], []).append(places[number])
            for fixture in self.fixtures.get(number, ()):
                users.setdefault(f"f{fixture}", []).append(places[number])
        return users

    def _bits(self, users: Mapping[Label, list[int]], count: int) -> Mapping[int, int]:
        """Return for each set the bit set of its tests."""
        bits: dict[int, bytearray] = {}
        size = count // 8 + 1
        for label, numbers in self.credited.items():
            if label not in users:
                continue
            for number in numbers:
                if number >= len(self.sets) or not self.sets[number].mask:
                    continue
                array = bits.setdefault(number, bytearray(size))
                for place in users[label]:
                    array[place >> 3] |= 1 << (place & 7)
        return {number: int.from_bytes(array, "little") for number, array in bits.items()}


def _is_inside(path: str) -> bool:
    pure = PurePosixPath(path)
    return bool(path) and not pure.is_absolute() and ".." not in pure.parts
