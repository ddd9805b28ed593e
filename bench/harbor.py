"""python -m bench.harbor DATA: what Harbor makes of the tasks of a dataset, for RESULTS.md.

Its linter and its own classes on every task; the oracle, nothing, and agents that plant and forge
on a task of each repository, in the sandbox of featuredel as Harbor's environment, and then in
Harbor's own Docker environment, where an engine and compose are there.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from consumers.environments import consumer
from consumers.harbor_docker import base_image
from consumers.harbor_runs import BUBBLEWRAP, ROOT, VARIABLES, Trial, harbor, one_of_each, trials
from uv import find_uv_bin

from bench.results import machine, table, write_section
from featuredel import tables
from featuredel.export.harbor.write import Options, write

COMMAND = "make bench-harbor"

AGENTS = {
    "oracle": ("applies the gold patch", 1.0),
    "nop": ("does nothing", 0.0),
    "harbor_agents:Plant": ("plants a verifier, a dataset and a reward; solves nothing", 0.0),
    "harbor_agents:PlantAndSolve": (
        "plants; solves with code that fails if it can read or write anything of the grader's", 1.0,
    ),
    "harbor_agents:Forge": (
        "its code writes the reward file and ends every process it may", 0.0,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """The trials of one agent in one environment."""

    environment: str
    agent: str
    repositories: int
    found: tuple[Trial, ...]

    def row(self) -> tuple[object, ...]:
        does, expected = AGENTS[self.agent]
        fine = sum(one.rewards.get("reward") == expected for one in self.found)
        errors = sum(bool(one.exception) for one in self.found)
        told = f"{fine} of {len(self.found)}"
        return self.environment, does, len(self.found), self.repositories, expected, told, errors


def main(dataset: str) -> int:
    python = consumer("harbor", oldest=(3, 12))
    with tempfile.TemporaryDirectory(prefix="bench-harbor-") as scratch:
        place = Path(scratch)
        everything = write(tables.read_tasks(dataset), dataset, place / "all", Options())
        few = write(one_of_each(dataset), dataset, place / "few", Options())
        names = [str(path) for path in everything.directories]
        findings = json.loads(harbor(python, "lint", "--select", "ALL", "--json", *names))
        loaded = _loaded(python, place / "all")
        runs = list(_runs(python, few.directories, place / "jobs", "bubblewrap"))
        counts = len(names), len(few.directories), len(findings), loaded
        write_section("harbor", COMMAND, _section(*counts, runs, "it comes next"))
        said, more = _with_docker(python, dataset, place)
        write_section("harbor", COMMAND, _section(*counts, [*runs, *more], said))
    return 0


def _runs(python: Path, tasks: Sequence[Path], jobs: Path, environment: str) -> Iterator[Run]:
    """Let every agent try every task."""
    named = BUBBLEWRAP if environment == "bubblewrap" else environment
    for agent in AGENTS:
        found = trials(python, tasks, agent, jobs, environment=named)
        run = Run(environment, agent, len(tasks), tuple(found))
        sys.stderr.write(f"{run.row()}\n")
        yield run


def _loaded(python: Path, folder: Path) -> int:
    script = ROOT / "tests" / "consumers" / "harbor_loads.py"
    done = subprocess.run(
        [str(python), str(script), str(folder)],
        env={**os.environ, **VARIABLES}, capture_output=True, check=True,
    )  # fmt: skip
    return sum(one["valid"] and one["same"] for one in json.loads(done.stdout))


def _with_docker(python: Path, dataset: str, place: Path) -> tuple[str, list[Run]]:
    """Return what kept Docker from being tried, or "", and the runs."""
    try:
        return "", list(_docker_runs(python, dataset, place))
    except pytest.skip.Exception as skipped:
        return str(skipped), []


def _docker_runs(python: Path, dataset: str, place: Path) -> Iterator[Run]:
    build = [find_uv_bin(), "build", "--quiet", "--wheel", "--out-dir", str(place / "dist")]
    with base_image(dataset) as base:
        subprocess.run([*build, str(ROOT)], check=True)
        (wheel,) = (place / "dist").glob("*.whl")
        options = Options(base_image=base, featuredel=str(wheel), network="public")
        few = write(one_of_each(dataset), dataset, place / "docker", options).directories
        yield from _runs(python, few, place / "docker-jobs", "docker")


def _section(
    tasks: int, repositories: int, findings: int, loaded: int, runs: Sequence[Run], said: str
) -> str:
    head = ("environment", "agent", "trials", "projects", "reward due", "got it", "errors")
    return f"""## Harbor

{tasks} tasks of {repositories} projects, by `featuredel export harbor`; Harbor {_version()}.

- `harbor lint --select ALL`: {findings} findings.
- Loaded by Harbor's `Task`, with the digest that its packager computes: {loaded} of {tasks}.
- The verifier was separate in every trial; `bubblewrap` is `{BUBBLEWRAP}`, `docker` Harbor's own.

{table(head, [run.row() for run in runs])}
{f"{chr(10)}Docker was not tried: {said}." if said else ""}
{machine()}
"""


def _version() -> str:
    lock = ROOT / "tests" / "consumers" / "locks" / "harbor.txt"
    lines = lock.read_text().splitlines()
    return next(line.split("==")[1].split()[0] for line in lines if line.startswith("harbor=="))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
