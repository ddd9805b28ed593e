"""The plain suite on each interpreter, against the run that records which test runs which line."""

from dataclasses import dataclass, replace

from bench.speed.cold import TOLD, passed_in, suite_command
from bench.speed.meter import Meter, timed
from bench.speed.project import Project
from featuredel.errors import FeaturedelError, Rejected
from featuredel.grading import layers_of, run_tests
from featuredel.model import Mined, TestRequest
from featuredel.sandbox import Command
from featuredel.stages.environment import environment


@dataclass(slots=True)
class Suite:
    """What the suite of a project takes on one interpreter: the least of some runs of each kind."""

    interpreter: str  # "" where there is none for it
    cpu_s: float  # plain
    wall_s: float
    told_cpu_s: float  # the same with a list of what passed; on the chosen interpreter alone
    map_cpu_s: float  # with the map, which this process reads as well
    restless: list[str]  # tests of the baseline that do not pass in the plain run
    why: str = ""


def measure_suite(project: Project, python: str | None, meter: Meter, repeats: int) -> Suite:
    """Run the suite on an interpreter, or on that which the project chose."""
    mined = project.mined
    if python is not None:
        spec = replace(project.spec, python=python)
        try:
            built = environment(
                mined.snapshot, spec, meter.sandbox, project.work, spec.settings
            )  # fmt: skip
        except (Rejected, FeaturedelError) as why:
            return Suite("", 0, 0, 0, 0, [], f"{python}: {why}")
        mined = replace(mined, environment=built)
    plain, told, mapped = [], [], []
    passed = frozenset(mined.baseline.tests)
    for _ in range(repeats):
        with timed(meter) as took:
            meter.sandbox.run(_command(mined, project))
        plain.append(took)
        if python is None:
            with timed(meter) as took:
                result = meter.sandbox.run(_command(mined, project, TOLD))
            told.append(took)
            passed &= passed_in(result, mined.baseline.tests)
        with timed(meter) as took:
            _map(mined, project, meter)
        mapped.append(took)
    restless = sorted(frozenset(mined.baseline.tests) - passed)
    return Suite(
        mined.environment.interpreter, min(plain)[0], min(wall for _, wall in plain),
        min(told, default=(0.0, 0.0))[0], min(mapped)[0], [str(test) for test in restless],
    )  # fmt: skip


def _command(mined: Mined, project: Project, *options: str) -> Command:
    limit_s = project.spec.settings.suite_timeout_s
    return suite_command(mined, mined.snapshot.root, limit_s, *options)


def _map(mined: Mined, project: Project, meter: Meter) -> None:
    settings = project.spec.settings
    request = TestRequest(
        collect_lines=True, seed=settings.seed, timeout_s=settings.test_timeout_s,
        total_timeout_s=settings.suite_timeout_s,
    )  # fmt: skip
    layers = layers_of(mined.environment, mined.snapshot.root)
    run = run_tests(project.language, meter.sandbox, mined.environment, layers, request)
    if run.ended != "finished":
        raise Rejected("the suite does not end", run.detail)
