"""What an accepted task costs: candidates forged in order until there are enough."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal, TypeAlias

from bench.speed.cold import run_task_cold
from bench.speed.meter import Laps, Meter, metered
from bench.speed.project import Project
from bench.speed.shelf import Shelf
from featuredel.config import Settings
from featuredel.gates.visible import disagreed
from featuredel.model import Form
from featuredel.pipeline import Candidate, Tools, forge, prepare
from featuredel.run.dataset import TOGETHER
from featuredel.stages.write import was_tried

FORM: Form = "removal"
MORE = 3
Confirm: TypeAlias = Literal["full", "affected"]


@dataclass(slots=True)
class Forged:
    """What became of a candidate, and what it took."""

    name: str
    outcome: str  # "accepted", or why not
    tried: bool  # it could be removed: a tree was written
    disagreed: bool  # an audit found what was missed
    f2p: list[str]
    excluded: list[str]
    spent: dict[str, float]  # CPU seconds by stage, and by group of gates
    wall_s: float  # in all
    cold: list[str] | None  # what fails on the task's tree by a cold run
    unsettled: list[str]  # what a second cold run, made where the first differs, says otherwise


@dataclass(slots=True)
class Arm:
    """All that was forged with one kind of confirmation."""

    forged: list[Forged]
    wasted_s: float = 0.0  # on candidates before an audit sent the project back to `full`

    @property
    def spent_s(self) -> float:
        """CPU seconds of everything."""
        return sum(sum(one.spent.values()) for one in self.forged)

    @property
    def accepted(self) -> list[Forged]:
        """The tasks."""
        return [one for one in self.forged if one.outcome == "accepted"]


def forge_full(project: Project, shelf: Shelf, accepted: int, suite_wall_s: float) -> Arm:
    """Forge with `confirm: full`, and run each task cold as well."""
    return Arm(list(_forged(project, "full", shelf, accepted, suite_wall_s)))


def forge_affected(
    project: Project, shelf: Shelf, accepted: int, full: Arm, suite_wall_s: float
) -> Arm:
    """Forge with `confirm: affected`; where an audit finds something, `full` is what remains.

    Where a task costs less so, there are more of them, up to `MORE` times; those that were not
    confirmed in full before are run cold.
    """
    room_s = full.spent_s
    found: list[Forged] = []
    forged = _forged(project, "affected", shelf, MORE * accepted, suite_wall_s, len(full.forged))
    for one in forged:
        found.append(one)
        room_s -= sum(one.spent.values())
        if len(found) >= len(full.forged) and room_s <= 0:
            break
    if any(one.disagreed for one in found):
        return Arm(full.forged, Arm(found).spent_s)
    return Arm(found)


def _forged(
    project: Project, confirm: Confirm, shelf: Shelf, accepted: int, cold_wall_s: float,
    known: int = 0,
) -> Iterator[Forged]:  # fmt: skip
    """Forge until so many are accepted; all but the first few tasks are run cold as well."""
    settings = replace(project.spec.settings, confirm=confirm)
    key = (*project.key, confirm)
    with metered(settings, project.work) as meter:
        prepared = cache(partial(_prepared, project, settings, meter))
        for number, feature in enumerate(project.mined.features):
            one = shelf.row(
                Forged, f"{project.name}-{confirm}", (key, feature),
                partial(
                    _one, project, prepared, number, settings, meter,
                    cold_wall_s if number >= known else None,
                ),
            )  # fmt: skip
            yield one
            accepted -= one.outcome == "accepted"
            if accepted <= 0 or one.disagreed:
                return


def _prepared(
    project: Project, settings: Settings, meter: Meter, number: int
) -> tuple[Candidate, ...]:
    """Delete and screen candidates together, from this one on."""
    wanted = [(feature, FORM) for feature in project.mined.features[number : number + TOGETHER]]
    return prepare(project.mined, wanted, Tools(meter.sandbox, settings, project.work))


def _one(
    project: Project, prepared: Callable[[int], tuple[Candidate, ...]], number: int,
    settings: Settings, meter: Meter, cold_wall_s: float | None,
) -> Forged:  # fmt: skip
    candidate = prepared(number - number % TOGETHER)[number % TOGETHER]
    laps = Laps(meter)
    tools = Tools(
        meter.sandbox,
        settings,
        project.work,
        laps.begin,
        lambda gate: laps.begin(f"validate/{gate}"),
    )
    began = time.monotonic()
    result = forge(project.mined, candidate, tools)
    wall_s = time.monotonic() - began + sum(cost.wall_s for cost in candidate.costs)
    spent = {**{cost.stage: cost.cpu_s for cost in candidate.costs}, **laps.end()}
    task, why = result.task, result.rejection
    cold: list[str] | None = None
    unsettled: list[str] = []
    if task is not None and cold_wall_s is not None:
        cold = run_task_cold(project, task, meter, cold_wall_s).failing
        if lost_and_broken(task.f2p, task.p2p_excluded, cold) != (set(), set()):
            again = run_task_cold(project, task, meter, cold_wall_s).failing
            unsettled = sorted(set(cold) ^ set(again))
    return Forged(
        name=candidate.feature.name,
        outcome=f"{why.stage}: {why.reason}" if why else "accepted",
        tried=was_tried(why),
        disagreed=disagreed(why),
        f2p=[str(test) for test in task.f2p] if task else [],
        excluded=[str(test) for test in task.p2p_excluded] if task else [],
        spent=spent,
        wall_s=wall_s,
        cold=cold,
        unsettled=unsettled,
    )


def lost_and_broken(
    f2p: Iterable[str], excluded: Iterable[str], cold: Iterable[str]
) -> tuple[set[str], set[str]]:
    """Return the F2P that a cold run of everything sees pass, and the P2P that it sees fail."""
    return set(f2p) - set(cold), set(cold) - set(f2p) - set(excluded)
