"""All that is measured on one project, in the order in which it is."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from bench.speed.cold import Cold, run_cold
from bench.speed.meter import Meter, metered
from bench.speed.project import Made, Project, mine_project
from bench.speed.screening import Screening, measure_screening
from bench.speed.shelf import Shelf
from bench.speed.suites import Suite, measure_suite
from bench.speed.tasks import Arm, forge_affected, forge_full
from featuredel.config import RepositorySpec
from featuredel.gates.screen import GROUP

COLD_BUDGET_S, LEAST_COLD = 720.0, 20
"""CPU seconds for the cold runs of a project's candidates; a sample of at least so many is run,
and every candidate of which groups say something else than it by itself."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to measure."""

    candidates: int
    cold: int | None  # candidates that are drawn to be run cold; None: what the budget allows
    accepted: int
    repeats: int
    pythons: tuple[str, ...]  # interpreters for the suite alone


@dataclass(frozen=True, slots=True)
class Measured:
    """What was seen of one project. Candidates go by their number."""

    name: str
    tests: int
    suites: tuple[Suite, ...]  # the first on the interpreter that the project chose
    made: Made
    cold: dict[int, Cold]
    again: dict[int, Cold]  # once more, where screening says something else
    single: Screening
    groups: Screening
    full: Arm
    affected: Arm

    @property
    def suite(self) -> Suite:
        """The suite on the interpreter that the project chose."""
        return self.suites[0]

    def unsettled(self, number: int) -> set[str]:
        """Return the tests on which cold runs do not agree."""
        found = set(self.suite.restless)
        if number in self.again:
            found |= set(self.again[number].failing) ^ set(self.cold[number].failing)
        return found


def mine_and_measure(plan: Plan, work: Path, shelf: Shelf, spec: RepositorySpec) -> Measured:
    """Mine a project and measure it, in a process of its own if need be; say what is done."""
    return measure(mine_project(spec, work, plan.candidates), plan, shelf, click.echo)


def measure(project: Project, plan: Plan, shelf: Shelf, tell: Callable[[str], None]) -> Measured:
    """Measure a project, or take what was measured before."""
    name, key = project.name, project.key
    settings = project.spec.settings
    chosen = project.mined.environment.interpreter
    others = [python for python in plan.pythons if not f"{chosen}.".startswith(f"{python}.")]

    def say(what: str) -> None:
        tell(f"{name}: {what}")

    say("the suite")
    with metered(settings, project.work) as meter:
        suites = tuple(
            shelf.row(
                Suite, f"{name}-suite", (key, python, plan.repeats),
                partial(measure_suite, project, python, meter, plan.repeats),
            )
            for python in (None, *others)
        )  # fmt: skip
    say("candidates")
    made = shelf.row(Made, f"{name}-made", key, lambda: project.made[1])
    say(f"screening {len(made.names)} candidates")
    single, groups = (
        shelf.row(
            Screening, f"{name}-screening", (key, most),
            partial(measure_screening, project, most),
        )
        for most in (1, GROUP)
    )  # fmt: skip
    ways = (single, groups)
    cold, again = _cold_runs(project, plan, shelf, suites[0], made, ways, say)
    say("tasks, confirmed in full")
    full = forge_full(project, shelf, plan.accepted, suites[0].wall_s)
    say("tasks, confirmed by what is affected")
    affected = forge_affected(project, shelf, plan.accepted, full, suites[0].wall_s)
    tests = len(project.mined.baseline.tests)
    return Measured(name, tests, suites, made, cold, again, single, groups, full, affected)


def _cold_runs(
    project: Project, plan: Plan, shelf: Shelf, suite: Suite, made: Made,
    ways: tuple[Screening, Screening], say: Callable[[str], None],
) -> tuple[dict[int, Cold], dict[int, Cold]]:  # fmt: skip
    """Run a sample cold, and what is doubtful; once more where screening says something else."""
    cold: dict[int, Cold] = {}
    again: dict[int, Cold] = {}
    settings = project.spec.settings
    sample = _sample(len(made.names), plan, suite, settings.seed)
    pairs = zip(*(way.failing for way in ways), strict=True)
    doubtful = [number for number, (one, other) in enumerate(pairs) if one != other]
    numbers = sorted({*sample, *doubtful})
    with metered(settings, project.work) as meter:
        for number in numbers:
            key = (project.key, number)
            run = partial(_cold, project, number, meter, suite.wall_s)
            say(f"cold run {len(cold) + 1} of {len(numbers)}: {made.names[number]}")
            cold[number] = shelf.row(Cold, f"{project.name}-cold", key, run)
            failing = set(cold[number].failing) & set(made.tests[number]) - set(suite.restless)
            if any(set(way.failing[number]) - set(suite.restless) != failing for way in ways):
                again[number] = shelf.row(Cold, f"{project.name}-again", key, run)
    return cold, again


def _cold(project: Project, number: int, meter: Meter, suite_wall_s: float) -> Cold:
    return run_cold(project, project.deletions[number], meter, suite_wall_s)


def _sample(candidates: int, plan: Plan, suite: Suite, seed: int) -> list[int]:
    """Draw the candidates that are run cold."""
    most = plan.cold
    if most is None:
        most = max(LEAST_COLD, int(COLD_BUDGET_S / max(suite.cpu_s, 0.01)))
    return random.Random(seed).sample(range(candidates), min(most, candidates))
