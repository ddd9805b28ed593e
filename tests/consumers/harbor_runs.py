"""Running Harbor on exported tasks."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consumers.programs import run

import featuredel
from featuredel import tables
from featuredel.model import Task

ROOT = Path(featuredel.__file__).parents[1]
BUBBLEWRAP = "featuredel_harbor.environment:Bubblewrap"

VARIABLES = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # or it asks the network for prices of models
    "PYTHONPATH": os.pathsep.join(
        str(ROOT / place) for place in ("", "integrations/harbor", "tests/consumers")
    ),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What Harbor says of one trial."""

    task: str
    rewards: dict[str, float]
    exception: str  # "" if there was none


def harbor(python: Path, *arguments: str) -> str:
    """Run Harbor's command and return what it prints."""
    return run([python.with_name("harbor"), *arguments], VARIABLES).stdout


def loaded(python: Path, folder: Path) -> list[dict[str, Any]]:
    """Return what Harbor's own classes make of each task in a folder."""
    script = Path(__file__).with_name("harbor_loads.py")
    told: list[dict[str, Any]] = json.loads(run([python, script, folder], VARIABLES).stdout)
    return told


def trials(
    python: Path, tasks: Iterable[Path], agent: str, jobs: Path, *more: str,
    environment: str = BUBBLEWRAP, at_once: int = 2,
) -> list[Trial]:  # fmt: skip
    """Let an agent try each task once."""
    folder = jobs / f"{agent.rpartition(':')[2]}-tasks"
    folder.mkdir(parents=True)
    for task in tasks:
        (folder / task.name).symlink_to(task)
    name = agent.rpartition(":")[2]
    harbor(
        python, "run", "-p", str(folder), "-a", agent, "-e", environment, "-o", str(jobs),
        "--job-name", name, "-y", "-q", "-n", str(at_once), *more,
    )  # fmt: skip
    results = sorted((jobs / name).glob("*/result.json"))
    return [_trial(json.loads(file.read_text())) for file in results]


def _trial(told: dict[str, Any]) -> Trial:
    result = told.get("verifier_result") or {}
    raised = told.get("exception_info") or {}
    return Trial(told["task_name"], result.get("rewards") or {}, raised.get("exception_type", ""))


def one_of_each(dataset: str) -> Iterator[Task]:
    """Yield the first task of each repository that has the fullest statement."""
    seen = set()
    for row in tables.read_tasks(dataset):
        if row.repository not in seen and row.statement_full is not None:
            seen.add(row.repository)
            yield row
