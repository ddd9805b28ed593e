"""A dataset of toys, a folder for outcomes, and scripted servers that solve them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from toy_dataset import have_environment, write_two_tasks

from bench.solvers import Responder, served
from featuredel import api, cli, tables
from featuredel.model import Attempt, Task
from featuredel.monitor.readers import read_trajectory
from featuredel.monitor.trajectory import Trajectory


class SolveScene:
    """What `featuredel solve` is called on; `out` is another folder for each test."""

    def __init__(self, folder: Path) -> None:
        self.dataset = write_two_tasks(folder)
        self.work = have_environment(folder / "work")
        self.out = folder / "out"
        self.headers: list[Mapping[str, str]] = []
        self.code, self.said, self.told = -1, "", ""

    def tasks(self) -> list[Task]:
        return list(tables.read_tasks(self.dataset))

    def task(self, task_id: str) -> api.Task:
        return api.load(self.dataset, sandbox="bubblewrap", work=self.work)[task_id]

    def solve(self, respond: Responder, *words: str, model: str = "m") -> list[Mapping[str, Any]]:
        """Let a scripted server solve; return the requests that it was sent."""
        with served(respond) as server:
            self.headers = server.headers
            self.call(*words, "--endpoint", server.endpoint, "--model", model)
        return server.requests

    def call(self, *words: str) -> None:
        result = CliRunner().invoke(
            cli.cli,
            ["solve", self.dataset, "--work", str(self.work), "--out", str(self.out),
             "--sandbox", "bubblewrap", "--retries", "1", "--workers", "2", *words],
            standalone_mode=False,
        )  # fmt: skip
        self.code, self.said, self.told = result.return_value, result.stdout, result.stderr
        if result.exception is not None:
            raise result.exception

    def rows(self) -> list[Attempt]:
        return tables.read_table(f"{self.out}/outcomes.parquet", Attempt)

    def row(self) -> Attempt:
        (row,) = self.rows()
        return row

    def file(self, row: Attempt) -> Path:
        place = self.out / "trajectories" / row.model / row.register
        return place / f"{row.task_id}-{row.attempt}.json"

    def trajectory(self) -> Trajectory:
        return read_trajectory(self.file(self.row()))
