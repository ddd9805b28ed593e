"""Where verdicts differ: screening and tasks against cold runs, and the two confirmations."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import zip_longest

from bench.speed.measure import Measured
from bench.speed.screening import Screening
from bench.speed.tasks import Forged, lost_and_broken

SHOWN = 5


def differing(measured: Measured, screening: Screening) -> frozenset[int]:
    """Return the candidates of which a way of screening does not say what the cold run says."""
    return frozenset(n for n in measured.cold if len(set(_sides(measured, screening, n))) > 1)


def differences(measured: Measured) -> Iterator[str]:
    """Yield a line for each verdict that differs."""
    for way, screening in (("one by one", measured.single), ("in groups", measured.groups)):
        for number in sorted(differing(measured, screening)):
            seen, failing = _sides(measured, screening, number)
            told = f"misses {_told(failing - seen)}; adds {_told(seen - failing)}"
            name, how = measured.made.names[number], screening.how[number]
            yield f"{measured.name}: {name}: screened {way} ({how}): {told}"
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


def _sides(
    measured: Measured, screening: Screening, number: int
) -> tuple[frozenset[str], frozenset[str]]:
    """Return what of T fails by screening, and by the cold run."""
    unsettled = measured.unsettled(number)
    seen = frozenset(screening.failing[number]) - unsettled
    reached = frozenset(measured.made.tests[number]) - unsettled
    return seen, reached & frozenset(measured.cold[number].failing)


def _tasks(measured: Measured) -> Iterator[str]:
    restless = set(measured.suite.restless)
    for task in (*measured.full.accepted, *further(measured)):
        lost, broken = lost_and_broken(task.f2p, task.excluded, task.cold or ())
        unsettled = restless | set(task.unsettled)
        if lost - unsettled:
            yield f"{measured.name}: {task.name}: F2P that pass cold: {_told(lost - unsettled)}"
        if broken - unsettled:
            yield f"{measured.name}: {task.name}: P2P that fail cold: {_told(broken - unsettled)}"


def _arms(measured: Measured) -> Iterator[str]:
    for full, affected in zip_longest(measured.full.forged, measured.affected.forged):
        if affected is None:
            yield f"{measured.name}: {full.name}: decided with one kind of confirmation alone"
        elif full is None:
            return  # these were run cold
        elif full.outcome != affected.outcome:
            told = f"full: {full.outcome}; affected: {affected.outcome}"
            yield f"{measured.name}: {full.name}: {told}"
        elif full.f2p != affected.f2p or full.excluded != affected.excluded:
            changed = set(full.f2p) ^ set(affected.f2p) | set(full.excluded) ^ set(
                affected.excluded
            )
            yield f"{measured.name}: {full.name}: full and affected: {_told(changed)}"


def further(measured: Measured) -> list[Forged]:
    """Return the tasks that were confirmed by what is affected alone."""
    rest = measured.affected.forged[len(measured.full.forged) :]
    return [one for one in rest if one.outcome == "accepted"]


def _told(tests: AbstractSet[str]) -> str:
    shown = ", ".join(sorted(tests)[:SHOWN])
    return f"{len(tests)} ({shown})" if tests else "none"
