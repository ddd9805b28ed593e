"""The folder of attempts: rates, one writer, and what an earlier run left."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from solve_scene import SolveScene
from toy_dataset import MUL

from bench.solvers import NULL, Reply, served
from featuredel import tables
from featuredel.errors import UsageError
from featuredel.model import Attempt, SolveRate
from featuredel.solve.outcomes import open_outcomes, solve_rates

ROW = Attempt(
    "feed", "calc", "full", "m", 1, "submitted", "", 1.0, True, False, 1.0, 1.0, turns=3,
    prompt_tokens=9, completion_tokens=9, blocks=0, flags=0, notes=1, wall_s=1.0,
)  # fmt: skip
FAILED = replace(
    ROW, ended="error", error="no server", reward=None, resolved=None, tampered=None,
    f2p_rate=None, p2p_rate=None,
)  # fmt: skip


def test_rates_count_solves_and_leave_errors_out() -> None:
    rows = [
        ROW, replace(ROW, attempt=2, flags=1), replace(ROW, attempt=3, resolved=False, blocks=1),
        replace(FAILED, attempt=4), replace(ROW, model="other", resolved=False),
        replace(ROW, register="terse"), replace(FAILED, task_id="beef"),
    ]  # fmt: skip
    assert solve_rates(rows) == [
        SolveRate("feed", "calc", "full", "m", 3, 2, 1, 2 / 3),
        SolveRate("feed", "calc", "full", "other", 1, 0, 0, 0.0),
        SolveRate("feed", "calc", "terse", "m", 1, 1, 0, 1.0),
    ]


def test_a_folder_is_gone_on_with(tmp_path: Path) -> None:
    with open_outcomes(tmp_path / "new" / "out") as outcomes:
        outcomes.add(FAILED)
        outcomes.add(replace(ROW, attempt=2))
    with open_outcomes(tmp_path / "new" / "out") as outcomes:
        assert list(outcomes.rows.values()) == [FAILED, replace(ROW, attempt=2)]
        outcomes.add(ROW)
    file = str(tmp_path / "new" / "out" / "outcomes.parquet")
    assert tables.read_table(file, Attempt) == [ROW, replace(ROW, attempt=2)]


def test_what_a_killed_run_added_is_found(tmp_path: Path) -> None:
    with open_outcomes(tmp_path) as outcomes:
        outcomes.add(replace(FAILED, attempt=2))
        outcomes.add(ROW)
        lines = (tmp_path / "outcomes.jsonl").read_bytes()
    second = replace(ROW, attempt=2, error="\udce9\n")
    (tmp_path / "outcomes.jsonl").write_text(f'{json.dumps(asdict(second))}\n{{"task')
    with open_outcomes(tmp_path) as outcomes:
        assert list(outcomes.rows.values()) == [ROW, second]
    (tmp_path / "outcomes.parquet").unlink()
    (tmp_path / "outcomes.jsonl").write_bytes(lines[:-1])
    with open_outcomes(tmp_path) as outcomes:
        assert list(outcomes.rows.values()) == [replace(FAILED, attempt=2)]
    assert (tmp_path / "outcomes.parquet").exists()
    assert not (tmp_path / "outcomes.jsonl").exists()


def test_lines_of_something_else_are_told(tmp_path: Path) -> None:
    for text in ('{"task_id": "feed"}\n', "no JSON\n", "7\n"):
        (tmp_path / "outcomes.jsonl").write_text(text)
        with pytest.raises(UsageError, match="no attempt"), open_outcomes(tmp_path):
            pass
        assert (tmp_path / "outcomes.jsonl").read_text() == text


def test_a_folder_has_one_writer(tmp_path: Path) -> None:
    with open_outcomes(tmp_path), pytest.raises(UsageError, match="is being written"):  # noqa: SIM117
        with open_outcomes(tmp_path):
            pass


def test_a_file_that_is_no_table_is_told(tmp_path: Path) -> None:
    (tmp_path / "outcomes.parquet").write_text("no Parquet")
    with pytest.raises(UsageError, match="damaged"), open_outcomes(tmp_path):
        pass


@pytest.mark.sandbox
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_ended_goes_on(scene: SolveScene, number: signal.Signals) -> None:
    def respond(request: object) -> Reply:
        if len(server.requests) == 2:  # the second attempt is under way
            process.send_signal(number)
        return NULL(server.requests[-1])

    def start(attempts: int) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "featuredel", "solve", scene.dataset, MUL, "--model", "m",
             "--endpoint", server.endpoint, "--work", str(scene.work), "--out", str(scene.out),
             "--attempts", str(attempts), "--workers", "1", "--sandbox", "bubblewrap"],
            env={**os.environ, "PYTHONWARNINGS": "error"},
        )  # fmt: skip

    with served(respond) as server:
        process = start(3)
        assert process.wait(600) == (130 if number is signal.SIGINT else -signal.SIGKILL)
        with open_outcomes(scene.out) as outcomes:
            assert [row.attempt for row in outcomes.rows.values()] == [1]
        process = start(3)
        assert process.wait(600) == 0
    assert [row.attempt for row in scene.rows()] == [1, 2, 3]
    assert len(server.requests) == 4, "one was asked for twice"
