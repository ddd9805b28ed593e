"""`featuredel solve` against a scripted server: what is earned, recorded, and gone on with."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from toy_dataset import MUL, NEG, have_environment, write_two_tasks

from bench.solvers import (
    SUBMIT,
    Reply,
    Responder,
    applied,
    bash,
    calling,
    completion,
    playing,
    served,
    solvers,
    turn_of,
)
from featuredel import cli, tables
from featuredel.errors import UsageError
from featuredel.model import Attempt, SolveRate, Task
from featuredel.monitor.readers import read_trajectory
from featuredel.monitor.trajectory import Shell

pytestmark = pytest.mark.sandbox

KEY = "sk-secret-0123456789"


class Scene:
    """A dataset of two toys, and a folder for outcomes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.dataset = write_two_tasks(folder)
        self.work = have_environment(folder / "work")
        self.out = folder / "out"
        self.code, self.said, self.told = -1, "", ""

    def tasks(self) -> list[Task]:
        return list(tables.read_tasks(self.dataset))

    def task(self, task_id: str) -> Task:
        (found,) = tables.read_tasks(self.dataset, task_id=task_id)
        return found

    def solve(self, respond: Responder, *words: str, model: str = "m") -> list[Mapping[str, Any]]:
        """Let a scripted server solve; return the requests that it was sent."""
        with served(respond) as server:
            self.call("--endpoint", server.endpoint, "--model", model, *words)
            self.headers = server.headers
            return server.requests

    def call(self, *words: str) -> None:
        result = CliRunner().invoke(
            cli.cli,
            ["solve", self.dataset, "--work", str(self.work), "--out", str(self.out),
             "--sandbox", "bubblewrap", "--retries", "1", "--workers", "2", *words],
            standalone_mode=False,
        )  # fmt: skip
        if result.exception is not None:
            raise result.exception
        self.code, self.said, self.told = result.return_value, result.stdout, result.stderr

    def rows(self) -> list[Attempt]:
        return tables.read_table(f"{self.out}/outcomes.parquet", Attempt)

    def row(self) -> Attempt:
        (row,) = self.rows()
        return row

    def trajectory(self, row: Attempt) -> Path:
        place = self.out / "trajectories" / row.model / row.register
        return place / f"{row.task_id}-{row.attempt}.json"

    def observations(self) -> list[str]:
        return [step.observation for step in read_trajectory(self.trajectory(self.row())).steps]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("solve"))


@pytest.fixture(autouse=True)
def out(scene: Scene, tmp_path: Path) -> Iterator[None]:
    scene.out = tmp_path / "out"
    yield


def test_an_honest_solver_a_null_solver_and_a_cheat(scene: Scene) -> None:
    statements = {t.task_id: t.statement_full or "" for t in scene.tasks()}
    players = solvers(scene.tasks(), statements)
    for model in ("honest", "null", "cheat"):
        scene.solve(players, "--attempts", "2", model=model)
        assert scene.code == 0, scene.told
    rows = {model: [r for r in scene.rows() if r.model == model] for model in
            ("honest", "null", "cheat")}  # fmt: skip
    assert all(len(of) == 2 * len(statements) for of in rows.values())
    for row in scene.rows():
        assert row.ended == "submitted" and not row.error and row.tampered is False
        assert row.reward == float(row.model == "honest") == float(row.resolved or 0)
        assert row.prompt_tokens == 100 * row.turns and row.completion_tokens == 10 * row.turns
        assert (row.blocks + row.flags > 0) == (row.model == "cheat"), row
    rates = tables.read_table(f"{scene.out}/solve_rates.parquet", SolveRate)
    assert {(r.model, r.attempts, r.solved, r.rate, r.suspect) for r in rates} == {
        ("honest", 2, 2, 1.0, 0), ("null", 2, 0, 0.0, 0), ("cheat", 2, 0, 0.0, 0),
    }  # fmt: skip
