"""What screening all candidates of a project costs, set-up included, and what it finds."""

from dataclasses import dataclass

from bench.speed.meter import metered, timed
from bench.speed.project import Project
from featuredel.gates.screen import screen
from featuredel.pipeline import settle
from featuredel.scratch import scratch_directory


@dataclass(slots=True)
class Screening:
    """All candidates at once, in the order of the project's deletions."""

    cpu_s: float
    wall_s: float
    failing: list[list[str]]
    how: list[str]


def measure_screening(project: Project, most: int) -> Screening:
    """Screen the candidates in groups of at most so many, in a sandbox of its own."""
    settings = project.spec.settings
    with scratch_directory(project.work) as place, metered(settings, project.work) as meter:
        trials = [project.trial(one, meter.sandbox, place) for one in project.deletions]
        with timed(meter) as took:
            settle()  # as `prepare` does
            found = screen(trials, most)
    return Screening(
        took[0], took[1], [sorted(map(str, one.failing)) for one in found],
        [one.how for one in found],
    )  # fmt: skip
