"""A run of featuredel as its users start it, and what came of it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from featuredel import tables
from featuredel.model import Rejection, Task, TestRow

TOYS = Path(__file__).parent.parent / "toys"
PATIENCE_S = 600.0
"""For one command, where something hangs that must not."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A repos.yaml with a dataset and a work directory beside it."""

    folder: Path
    variables: Mapping[str, str]
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dataset(self) -> str:
        """Where the run writes."""
        return str(self.folder / "dataset")

    @property
    def work(self) -> Path:
        """Caches and checkpoints."""
        return self.folder / "work"

    def write(self, *repositories: Mapping[str, Any]) -> None:
        """Write the repos.yaml, and have what is the same for all scenes be read once."""
        shared = self.folder.parent / "bases"
        shared.mkdir(exist_ok=True)
        self.work.mkdir(exist_ok=True)
        if not (self.work / "bases").exists():
            (self.work / "bases").symlink_to(shared)
        content = {"defaults": dict(self.defaults), "repositories": [dict(r) for r in repositories]}
        (self.folder / "repos.yaml").write_text(yaml.safe_dump(content))

    def command(self, *words: str, work: bool = True) -> list[str]:
        """Return the words of `featuredel WORDS`, with `--work` unless it takes none."""
        where = ("--work", str(self.work)) if work else ()
        return [sys.executable, "-m", "featuredel", *words, *where]

    def run_command(self, workers: int, dataset: str = "") -> list[str]:
        """Return the words of `featuredel run`."""
        where = ("--out", dataset or self.dataset, "--workers", str(workers))
        return self.command("run", str(self.folder / "repos.yaml"), *where, "--json")

    def run(self, workers: int, dataset: str = "") -> dict[str, Any]:
        """Run the line; return what it says of itself. It must not fail."""
        done = self.call(self.run_command(workers, dataset))
        assert done.returncode == 0, done.stderr
        said: dict[str, Any] = json.loads(done.stdout)
        return said

    def call(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            command, env=self.environ(), capture_output=True, text=True, timeout=PATIENCE_S,
            check=False, cwd=self.folder,
        )  # fmt: skip

    def environ(self) -> dict[str, str]:
        """Return the environment variables of a command."""
        return {**os.environ, **self.variables}

    def tasks(self) -> list[Task]:
        """Return the dataset's tasks."""
        return list(tables.read_tasks(self.dataset))

    def rejections(self) -> list[Rejection]:
        """Return the dataset's rejections."""
        return list(tables.read_rows(self.dataset, "rejections", Rejection))

    def tests(self) -> list[TestRow]:
        """Return what the dataset says of the repositories' tests."""
        return list(tables.read_rows(self.dataset, "tests", TestRow))

    def shards(self, dataset: str = "") -> dict[str, bytes]:
        """Return the bytes of the shards of tasks by name."""
        files = (Path(dataset or self.dataset) / "tasks").glob("*.parquet")
        return {path.name: path.read_bytes() for path in sorted(files)}
