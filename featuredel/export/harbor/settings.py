"""task.toml and dataset.toml, in Harbor's schemas 1.4 and 1.0."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import tomli_w

from featuredel import __version__
from featuredel.model import Register, Task

Network = Literal["no-network", "public"]

AGENT_S: Mapping[str, float] = {
    "trivial": 1800.0, "easy": 2700.0, "medium": 3600.0, "hard": 5400.0, "extreme": 7200.0,
}  # fmt: skip
"""What an agent has, by the tier of the task."""

BUILD_S = 1800.0
VERIFIER_S = 3600.0
"""For a grading, with those of gold and of nothing before it; at least."""

VERIFIER_TESTS = 60
"""Times the limit of one test: a verifier has at least that as well."""


def short_name(task: Task) -> str:
    """Return what a task is called in Harbor, without the organisation."""
    repository = re.sub(r"[^A-Za-z0-9_-]+", "-", task.repository).strip("-_") or "task"
    return f"{repository}-{task.task_id[:16]}".lower()


def task_toml(task: Task, organisation: str, register: Register, network: Network) -> str:
    """Return task.toml. It tells nothing that a solver may not know."""
    return tomli_w.dumps(
        {
            "schema_version": "1.4",
            "artifacts": ["/workspace"],
            "task": {
                "name": f"{organisation}/{short_name(task)}",
                "description": f"Write a feature that was deleted from {task.repository}.",
                "keywords": ["feature-deletion", task.language, task.tier],
            },
            "metadata": {
                "task_id": task.task_id,
                "repository": task.repository,
                "licence": task.licence,
                "register": register,
                "tier": task.tier,
                "split": task.split,
                "made_by": f"featuredel {__version__}",
            },
            "agent": {"timeout_sec": AGENT_S[task.tier], "user": "solver"},
            "environment": {
                "network_mode": network, "build_timeout_sec": BUILD_S, "workdir": "/workspace",
            },
            "verifier": {
                "timeout_sec": max(VERIFIER_S, float(VERIFIER_TESTS * task.test_timeout_s)),
                "user": "root",
                "environment_mode": "separate",
                "environment": {"network_mode": network, "build_timeout_sec": BUILD_S},
            },
        }
    )  # fmt: skip


def dataset_toml(
    organisation: str, name: str, description: str, directories: Iterable[Path]
) -> str:
    """Return dataset.toml for the directories of tasks, which have the tasks' names."""
    tasks = [
        {"name": f"{organisation}/{one.name}", "digest": f"sha256:{content_hash(one)}"}
        for one in directories
    ]
    about = {
        "name": f"{organisation}/{name}", "version": __version__, "description": description,
    }  # fmt: skip
    return tomli_w.dumps({"schema_version": "1.0", "dataset": about, "tasks": tasks})


def content_hash(directory: Path) -> str:
    """Return the digest by which Harbor knows the content of a task directory."""
    outer = hashlib.sha256()
    found = (path for path in directory.rglob("*") if path.is_file())
    for name, path in sorted((path.relative_to(directory).as_posix(), path) for path in found):
        inner = hashlib.sha256(path.read_bytes()).hexdigest()
        outer.update(f"{name}\0{inner}\n".encode())
    return outer.hexdigest()
