"""python -m bench.harbor DATA [docker]: what Harbor makes of tasks, for RESULTS.md.

Its linter and its own classes, the oracle and nothing on every task; agents that plant and forge
on a task of each repository; in the sandbox of featuredel as Harbor's environment. With `docker`
the agents alone, on a task of each, in Harbor's own Docker environment, where an engine and compose
are there.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from consumers.environments import consumer
from consumers.harbor_docker import base_image
from consumers.harbor_runs import BUBBLEWRAP, ROOT, Trial, harbor, loaded, one_of_each, trials

from bench.results import machine, table, write_section
from featuredel import tables
from featuredel.export.harbor.write import Options, write

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
    """The trials of one agent."""

    agent: str
    found: tuple[Trial, ...]

    def row(self) -> tuple[object, ...]:
        does, expected = AGENTS[self.agent]
        fine = sum(one.rewards.get("reward") == expected for one in self.found)
        errors = sum(bool(one.exception) for one in self.found)
        told = f"{fine} of {len(self.found)}"
        return does, len(self.found), expected, told, errors


def main(dataset: str, environment: str = "bubblewrap") -> int:
    python = consumer("harbor", oldest=(3, 12))
    with tempfile.TemporaryDirectory(prefix="bench-harbor-") as scratch:
        if environment == "docker":
            text = "## Harbor's Docker environment\n\n" + _in_docker(python, dataset, Path(scratch))
            write_section("harbor docker", "make bench-harbor-docker", text)
        else:
            text = "## Harbor\n\n" + _in_bubblewrap(python, dataset, Path(scratch))
            write_section("harbor", "make bench-harbor", text)
    return 0


def _in_bubblewrap(python: Path, dataset: str, place: Path) -> str:
    everything = write(tables.read_tasks(dataset), dataset, place / "all", Options())
    few = write(one_of_each(dataset), dataset, place / "few", Options()).directories
    names = [str(path) for path in everything.directories]
    findings = json.loads(harbor(python, "lint", "--select", "ALL", "--json", *names))
    fine = sum(one["valid"] and one["same"] for one in loaded(python, place / "all"))
    both = dict.fromkeys(("oracle", "nop"), everything.directories)
    runs = _runs(python, few, place / "jobs", "bubblewrap", both)
    return f"""{len(names)} tasks of {len(few)} projects, by `featuredel export harbor`.
Harbor {_version()}.

- `harbor lint --select ALL`: {len(findings)} findings.
- Loaded by Harbor's `Task`, with the digest that its packager computes: {fine} of {len(names)}.
- The first two agents had every task, the others one of each project, in the environment
  `{BUBBLEWRAP}`, with a separate verifier in each trial:

{_table(runs)}

{machine()}
"""


def _in_docker(python: Path, dataset: str, place: Path) -> str:
    with base_image(dataset) as base:
        options = Options(base_image=base, network="public")
        few = write(one_of_each(dataset), dataset, place / "few", options).directories
        runs = _runs(python, few, place / "jobs", "docker")
    return f"""A task of each of {len(few)} projects; Harbor {_version()}. The base image is one of
this machine's interpreters, and the tasks have `--network public`, as no registry is in reach.

{_table(runs)}

{machine()}
"""


def _runs(
    python: Path, tasks: Sequence[Path], jobs: Path, environment: str,
    others: Mapping[str, Sequence[Path]] = MappingProxyType({}),
) -> list[Run]:  # fmt: skip
    """Let every agent try every task, or `others` instead."""
    runs = []
    named = BUBBLEWRAP if environment == "bubblewrap" else environment
    for agent in AGENTS:
        found = trials(python, others.get(agent, tasks), agent, jobs, environment=named)
        runs.append(Run(agent, tuple(found)))
        sys.stderr.write(f"{runs[-1].row()}\n")
    return runs


def _table(runs: Sequence[Run]) -> str:
    head = ("agent", "trials", "reward due", "got it", "errors")
    return table(head, [run.row() for run in runs])


def _version() -> str:
    lock = ROOT / "tests" / "consumers" / "locks" / "harbor.txt"
    lines = lock.read_text().splitlines()
    return next(line.split("==")[1].split()[0] for line in lines if line.startswith("harbor=="))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
