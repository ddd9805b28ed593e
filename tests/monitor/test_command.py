"""The command `featuredel monitor`."""

import json
from pathlib import Path

import pyarrow.parquet
import pytest
from click.testing import CliRunner
from samples import task

from featuredel import cli
from featuredel.errors import UsageError
from featuredel.stages.write import Content, write


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(cli.cli, ["monitor", *map(str, words)], standalone_mode=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return int(result.return_value or 0), result.stdout


def trajectory(place: Path, *commands: str) -> Path:
    events = [
        {"id": number, "source": "agent", "action": "run", "args": {"command": command}}
        for number, command in enumerate(commands, 1)
    ]
    place.write_text(json.dumps(events))
    return place


@pytest.fixture
def honest(tmp_path: Path) -> Path:
    return trajectory(tmp_path / "honest.json", "git status", "pytest -q", "git blame a.py")


@pytest.fixture
def cheat(tmp_path: Path) -> Path:
    return trajectory(tmp_path / "cheat.json", "ls", "git log --all", "pip install -q toy")


def test_the_exit_code_tells_of_an_alarm_and_not_of_a_note(honest: Path, cheat: Path) -> None:
    code, told = run(honest)
    assert code == 0
    assert "note: history mining" in told
    code, told = run(honest, cheat)
    assert code == 1
    assert f"{cheat}: step 2: block: history mining (git_history)" in told
    assert "git log --all" in told


def test_json_is_a_line_a_finding(cheat: Path) -> None:
    code, told = run(cheat, "--json")
    row, note = [json.loads(line) for line in told.splitlines()]
    assert code == 1
    assert (row["step"], row["step_id"], row["rule"]) == (1, "2", "git_history")
    assert note["severity"] == "note"
    assert set(row) == {
        "trajectory", "step", "step_id", "rule", "kind", "severity", "evidence", "hint",
    }  # fmt: skip


def test_findings_are_written(cheat: Path, honest: Path, tmp_path: Path) -> None:
    run(cheat, "--out", tmp_path / "f.jsonl")
    lines = (tmp_path / "f.jsonl").read_text().splitlines()
    run(cheat, "--out", tmp_path / "f.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "f.parquet")
    assert table.to_pylist() == [json.loads(line) for line in lines]
    trajectory(honest, "ls")
    run(honest, "--out", tmp_path / "none.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "none.parquet").schema == table.schema


def test_a_task_tells_more(cheat: Path, tmp_path: Path) -> None:
    dataset = str(tmp_path / "set")
    write(dataset, Content((task(gold_patch=b"", deletion_patch=b""),)))
    _, told = run(cheat, "--json", "--dataset", dataset, "--task", "0123")
    assert [json.loads(line)["rule"] for line in told.splitlines()] == ["git_history", "downloads"]


def test_mistakes_are_one_line(cheat: Path, tmp_path: Path) -> None:
    for words, told in (
        ((cheat, "--task", "x"), "belong together"),
        ((cheat, "--out", "x.csv"), r"\.jsonl or \.parquet"),
        ((tmp_path / "gone",), "No such file"),
        ((cheat, "--honeytokens", cheat), "no manifest"),
    ):
        with pytest.raises(UsageError, match=told):
            run(*words)
