"""task.toml and dataset.toml, in Harbor's schemas 1.4 and 1.0."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

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

Toml = Mapping[str, Any]


def short_name(task: Task) -> str:
    """Return what a task is called in Harbor, without the organisation."""
    repository = re.sub(r"[^A-Za-z0-9_-]+", "-", task.repository).strip("-_") or "task"
    return f"{repository}-{task.task_id[:16]}".lower()


def task_toml(task: Task, organisation: str, register: Register, network: Network) -> str:
    """Return task.toml. It tells nothing that a solver may not know."""
    return toml(
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


def dataset_toml(name: str, description: str, tasks: Iterable[tuple[str, Path]]) -> str:
    """Return dataset.toml for tasks, given by their full names and directories."""
    told = [
        {"name": full, "digest": f"sha256:{content_hash(directory)}"} for full, directory in tasks
    ]
    about = {"name": name, "version": __version__, "description": description}
    return toml({"schema_version": "1.0", "dataset": about, "tasks": told})


def content_hash(directory: Path) -> str:
    """Return the digest by which Harbor knows the content of a task directory."""
    outer = hashlib.sha256()
    found = (path for path in directory.rglob("*") if path.is_file())
    for name, path in sorted((path.relative_to(directory).as_posix(), path) for path in found):
        inner = hashlib.sha256(path.read_bytes()).hexdigest()
        outer.update(f"{name}\0{inner}\n".encode())
    return outer.hexdigest()


def toml(table: Toml, above: str = "") -> str:
    """Return a table as TOML: strings, numbers, lists of strings, tables, and lists of tables."""
    plain = {key: value for key, value in table.items() if not _is_table(value)}
    lines = [f"{key} = {_value(value)}\n" for key, value in plain.items()]
    for key, value in table.items():
        name = f"{above}{key}"
        if isinstance(value, Mapping):
            lines.append(f"\n[{name}]\n{toml(value, f'{name}.')}")
        elif _is_table(value):
            lines += [f"\n[[{name}]]\n{toml(one, f'{name}.')}" for one in value]
    return "".join(lines)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(one, Mapping) for one in value)
    )


def _value(value: object) -> str:
    """Return a value; what JSON escapes in a string, TOML escapes in the same way."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
