"""Where verdicts differ: screening and tasks against cold runs, and the two confirmations."""

from collections.abc import Iterator
from itertools import zip_longest

from bench.speed.measure import Measured
from bench.speed.tasks import lost_and_broken

SHOWN = 5


def differing(measured: Measured) -> frozenset[int]:
    """Return the candidates of which screening does not say what the cold run says."""
    return frozenset(number for number, _ in _screening(measured))


def differences(measured: Measured) -> Iterator[str]:
    """Yield a line for each verdict that differs."""
    for number, why in _screening(measured):
        yield f"{measured.name}: {measured.made.names[number]}: {why}"
    pairs = zip(measured.single.failing, measured.groups.failing, strict=True)
    for number, (single, groups) in enumerate(pairs):
        if number not in measured.cold and set(single) != set(groups):
            name = measured.made.names[number]
            yield f"{measured.name}: {name}: in groups {_told(set(single) ^ set(groups))}"
    yield from _tasks(measured)
    yield from _arms(measured)


def outside(measured: Measured) -> dict[int, set[str]]:
    """Return by candidate what fails in the cold run though no line of the feature is known to run.

    Screening does not look at it; a task's confirmation does.
    """
    found = {
        number: set(cold.failing) - set(measured.made.tests[number]) - measured.unsettled(number)
        for number, cold in measured.cold.items()
    }
    return {number: tests for number, tests in found.items() if tests}


def _screening(measured: Measured) -> Iterator[tuple[int, str]]:
    for number, cold in measured.cold.items():
        unsettled = measured.unsettled(number)
        failing = set(cold.failing) & set(measured.made.tests[number]) - unsettled
        for way, screening in (("one by one", measured.single), ("in groups", measured.groups)):
            seen = set(screening.failing[number]) - unsettled
            if seen != failing:
                missed, added = _told(failing - seen), _told(seen - failing)
                how = screening.how[number]
                yield number, f"screened {way} ({how}): misses {missed}; adds {added}"


def _tasks(measured: Measured) -> Iterator[str]:
    restless = set(measured.suite.restless)
    for task in measured.full.accepted:
        lost, broken = lost_and_broken(task.f2p, task.excluded, task.cold or ())
        unsettled = restless | set(task.unsettled)
        if lost - unsettled:
            yield f"{measured.name}: {task.name}: F2P that pass cold: {_told(lost - unsettled)}"
        if broken - unsettled:
            yield f"{measured.name}: {task.name}: P2P that fail cold: {_told(broken - unsettled)}"


def _arms(measured: Measured) -> Iterator[str]:
    for full, affected in zip_longest(measured.full.forged, measured.affected.forged):
        if full is None or affected is None:
            name = (full or affected).name
            yield f"{measured.name}: {name}: decided with one kind of confirmation alone"
        elif full.outcome != affected.outcome:
            told = f"full: {full.outcome}; affected: {affected.outcome}"
            yield f"{measured.name}: {full.name}: {told}"
        elif full.f2p != affected.f2p or full.excluded != affected.excluded:
            changed = set(full.f2p) ^ set(affected.f2p) | set(full.excluded) ^ set(
                affected.excluded
            )
            yield f"{measured.name}: {full.name}: full and affected: {_told(changed)}"


def _told(tests: set[str]) -> str:
    shown = ", ".join(sorted(tests)[:SHOWN])
    return f"{len(tests)} ({shown})" if tests else "none"
