"""Code of shared fixtures is credited to every test that depends on them, not to the first."""

from typing import Any, Dict, Set

from .recorder import Recorder


class SharedFixtures:
    """Numbers each set-up of a fixture of class, module, package or session scope."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._count = 0
        self._current: Dict[int, int] = {}  # by fixture definition: its latest set-up
        self._needs: Dict[int, Set[int]] = {}  # of a set-up: others that it asked for itself
        self._running: list = []  # type: ignore[type-arg]

    def begin(self, fixturedef: Any) -> bool:
        """A fixture is about to be set up; return whether it is a shared one."""
        if fixturedef.scope == "function":
            return False
        number = self._count
        self._count += 1
        self._current[id(fixturedef)] = number
        if self._running:
            self._needs.setdefault(self._running[-1], set()).add(number)
        self._running.append(number)
        self._recorder.push(("setup", number), self._label(number))
        return True

    def end(self, fixturedef: Any) -> None:
        """It is set up; its tear-down, which starts with the last finalizer, is its own too."""
        number = self._running.pop()
        self._recorder.pop(("setup", number))
        fixturedef.addfinalizer(lambda: self._begin_teardown(number))

    def finished(self, fixturedef: Any) -> None:
        """All finalizers ran."""
        number = self._current.get(id(fixturedef))
        if number is not None:
            self._recorder.pop(("teardown", number))

    def used_by(self, item: Any) -> Set[int]:
        """Return the numbers of the set-ups that the item depends on."""
        definitions = dict(getattr(getattr(item, "_request", None), "_fixture_defs", None) or {})
        active = {id(definition) for definition in definitions.values()}
        by_name = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        for found in by_name.values():
            active.update(id(definition) for definition in found)
        waiting = [self._current[key] for key in active if key in self._current]
        used: Set[int] = set()
        while waiting:
            number = waiting.pop()
            if number not in used:
                used.add(number)
                waiting.extend(self._needs.get(number, ()))
        return used

    def _begin_teardown(self, number: int) -> None:
        self._recorder.push(("teardown", number), self._label(number))

    def _label(self, number: int) -> str:
        return "f%d" % number
