"""The peers' way: for each candidate a copy of the tree, and a cold run of the whole suite."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bench.speed.meter import Meter, timed
from bench.speed.project import Project
from featuredel import git, trees
from featuredel.grading import lay_hidden, layers_of, run_tests
from featuredel.model import Deletion, Mined, Task, TestId
from featuredel.sandbox import ENVIRONMENT, WORKSPACE, Command, ExecResult, Limits, Mount
from featuredel.scratch import scratch_directory

PYTEST = ("-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "--rootdir", WORKSPACE)
TOLD = "-rpEf"
"""Lists what passed, and what did not though it passed: its tear-down failed, or a part of it."""

PATIENCE, GRACE_S = 4.0, 60.0
"""A run may take so many times what the suite takes, and so much more: some candidates loop."""

OUTPUT_BYTES = 64 << 20


@dataclass(slots=True)
class Cold:
    """What of the baseline does not pass on a candidate's tree, by a run of everything."""

    failing: list[str]
    cpu_s: float
    wall_s: float
    cut: bool  # the run did not come to its end: what fails was told by runs with a clock


def suite_command(mined: Mined, tree: Path, wall_s: float, *options: str) -> Command:
    """Return the command that runs the whole suite of a tree, as a person would."""
    environment = mined.environment
    return Command(
        argv=(f"{ENVIRONMENT}/bin/python", *PYTEST, *options, *environment.test_roots),
        layers=layers_of(environment, tree),
        mounts=(
            Mount(environment.prefix, ENVIRONMENT),
            Mount(environment.home, str(environment.home)),
        ),
        # the seed of hashes as in every other run, so that ids are the same
        variables={
            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", **environment.variables,
        },
        limits=Limits(wall_s=wall_s, cpu_s=2 * wall_s, output_bytes=OUTPUT_BYTES),
    )  # fmt: skip


def passed_in(result: ExecResult, tests: tuple[TestId, ...]) -> frozenset[TestId]:
    """Return which of `tests` pytest's summary says passed, and nothing went wrong after."""
    passed: set[str] = set()
    broken: set[str] = set()
    for line in result.stdout.decode(errors="replace").splitlines():
        word, _, rest = line.partition(" ")
        if word == "PASSED":
            passed.add(rest)
        elif word in ("FAILED", "ERROR"):
            parts = rest.split(" - ")
            broken.update(" - ".join(parts[:end]) for end in range(1, len(parts) + 1))
        elif word.startswith("SUBFAIL"):  # of a part, whose test is listed as passed
            ends = [place for place in range(len(line)) if line.startswith(" - ", place)]
            for end in (*ends, len(line)):
                broken.update(test for test in tests if line[:end].endswith(f" {test}"))
    return frozenset(test for test in tests if test in passed and test not in broken)


def run_cold(project: Project, deletion: Deletion, meter: Meter, suite_wall_s: float) -> Cold:
    """Run everything on the tree in which a candidate is graded."""

    def write(tree: Path) -> None:
        for path, content in deletion.edits.items():
            (tree / path).unlink(missing_ok=True)
            if content is not None:
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                mode = trees.git_mode(project.mined.snapshot.root / path)
                trees.write_file(tree / path, content, mode)
        lay_hidden(deletion.hidden_files, tree)

    return _run(project, deletion, meter, suite_wall_s, write)


def run_task_cold(project: Project, task: Task, meter: Meter, suite_wall_s: float) -> Cold:
    """Run everything on the tree of a task's row, with its hidden files."""

    def write(tree: Path) -> None:
        git.apply(task.deletion_patch, tree)
        lay_hidden(task.hidden_files, tree)

    return _run(project, project.deletions[0], meter, suite_wall_s, write)


def _run(
    project: Project, deletion: Deletion, meter: Meter, suite_wall_s: float,
    write: Callable[[Path], None],
) -> Cold:  # fmt: skip
    mined = project.mined
    tests = mined.baseline.tests
    with scratch_directory(project.work) as folder:
        tree = folder / "tree"
        with timed(meter) as took:
            shutil.copytree(mined.snapshot.root, tree, symlinks=True)
            write(tree)
            wall_s = GRACE_S + PATIENCE * suite_wall_s
            result = meter.sandbox.run(suite_command(mined, tree, wall_s, TOLD))
            passed = passed_in(result, tests)
        cut = result.exit_code not in (0, 1)  # all passed, or some failed
        if cut:
            passed = _with_a_clock(project, deletion, meter, folder, tree)
    failing = sorted(frozenset(tests) - passed)
    return Cold([str(test) for test in failing], took[0], took[1], cut)


def _with_a_clock(
    project: Project, deletion: Deletion, meter: Meter, place: Path, tree: Path
) -> frozenset[TestId]:
    """Run everything again, in a process of its own, with an end to each test."""
    mined = project.mined
    trial = project.trial(deletion, meter.sandbox, place)
    request = replace(trial.request(mined.baseline.tests), ids=None)
    layers = layers_of(mined.environment, tree)
    run = run_tests(project.language, meter.sandbox, mined.environment, layers, request)
    return frozenset(t for t, result in run.results.items() if result.outcome == "passed")
