import errno
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from samples import task

from featuredel import cli
from featuredel.errors import InfrastructureError, UsageError
from featuredel.model import Rejection
from featuredel.stages.write import Content, write


@pytest.fixture
def dataset(tmp_path: Path) -> str:
    rejection = Rejection("toy", "f removal toy.x", "validate", "P2P fail", "tests/a.py::b")
    write(str(tmp_path / "set"), Content((task(),), rejections=(rejection,)))
    return str(tmp_path / "set")


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.cli, words, standalone_mode=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return int(result.return_value or 0), result.output


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("nonsense", "Must include protocol"),
        ("foo://127.0.0.1:1", "unknown address scheme"),
        ("tcp://127.0.0.1", "missing port"),
        ("tcp://127.0.0.1:999999", "there is no port 999999"),
        ("tls://127.0.0.1:9", "no certificates"),
    ],
)
def test_an_odd_scheduler_is_told_at_once(tmp_path: Path, address: str, told: str) -> None:
    (tmp_path / "repos.yaml").write_text("repositories:\n- source: pkg:pypi/toy@1\n")
    place = ["--work", str(tmp_path / "work"), "--out", str(tmp_path / "out")]
    with pytest.raises(UsageError, match=told):
        run("run", str(tmp_path / "repos.yaml"), "--scheduler", address, *place)


def test_a_scheduler_that_does_not_answer_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "repos.yaml").write_text("repositories:\n- source: pkg:pypi/toy@1\n")
    place = ["--work", str(tmp_path / "work"), "--out", str(tmp_path / "out")]
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    with pytest.raises(InfrastructureError, match="no dask scheduler"):
        run("run", str(tmp_path / "repos.yaml"), "--scheduler", address, *place)


def test_a_terminal_that_knows_less_and_a_reader_that_goes(dataset: str) -> None:
    words = [sys.executable, "-m", "featuredel", "inspect", dataset]
    done = subprocess.run(
        words, env={"PYTHONIOENCODING": "ascii"}, capture_output=True, check=False
    )  # its table has lines that ASCII has not
    assert (done.returncode, done.stderr) == (0, b"")
    reader, writer = os.pipe()
    os.close(reader)
    gone = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (gone.returncode, gone.stderr) == (141, b"")


def test_every_command_explains_itself() -> None:
    for name in ("run", "inspect", "materialize", "grade", "check", "doctor"):
        result = CliRunner().invoke(cli.cli, [name, "--help"])
        assert result.exit_code == 0
        assert len(result.output.splitlines()) > 3


@pytest.mark.parametrize("words", [[], ["export"], ["leaks"]])
def test_a_group_without_a_command_shows_its_help(words: list[str]) -> None:
    start = [sys.executable, "-m", "featuredel", *words]
    done = subprocess.run(start, capture_output=True, text=True, check=False)
    asked = subprocess.run([*start, "--help"], capture_output=True, text=True, check=True)
    assert (done.returncode, done.stdout + done.stderr) == (2, asked.stdout)


def test_inspect_lists_and_shows(dataset: str) -> None:
    code, text = run("inspect", dataset)
    assert code == 0
    assert "1 task" in text
    assert "P2P fail" in text
    _, text = run("inspect", dataset, task().task_id)
    assert "Write add." in text
    _, text = run("inspect", dataset, "--rejections")
    assert "tests/a.py::b" in text


def test_inspect_names_the_repositories_that_there_are(dataset: str) -> None:
    with pytest.raises(UsageError, match="of a repository 'nope'; there are "):
        run("inspect", dataset, "--repository", "nope")
    assert run("inspect", dataset, "--repository", task().repository)[0] == 0


def test_inspect_speaks_json(dataset: str) -> None:
    rows = json.loads(run("inspect", dataset, "--json")[1])
    assert rows[0]["f2p"] == ["tests/test_toy.py::test_add[a b/ü]"]
    row = json.loads(run("inspect", dataset, task().task_id, "--json")[1])
    assert row["task_id"] == task().task_id
    assert (
        json.loads(run("inspect", dataset, "--rejections", "--json")[1])[0]["stage"] == "validate"
    )


@pytest.mark.parametrize(
    ("words", "told", "code"),
    [
        (["run", "nowhere.yaml"], "nowhere.yaml", 2),
        (["inspect", "nowhere"], "no dataset here", 2),
        (["inspect"], "Missing argument", 2),
        (["grade", "nowhere", "x", "y"], "no such directory or diff", 2),
        (["grade", "nowhere"], "give TASK and SOLUTION, or --batch FILE", 2),
        (["grade", "nowhere", "x", "--batch", "y"], "leave TASK and --seed away", 2),
        (["grade", "nowhere", "--seed", "1", "--batch", "y"], "leave TASK and --seed away", 2),
        (["rum"], "No such command", 2),
        (["run", "empty.yaml", "--out", "empty.yaml"], "empty.yaml: is a file", 2),
        (["run", "empty.yaml", "--work", "empty.yaml"], "empty.yaml: File exists", 2),
    ],
)
def test_what_a_user_did_wrong_is_told_without_a_traceback(
    words: list[str], told: str, code: int,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("empty.yaml").write_text("repositories: [{source: .}]\n")
    monkeypatch.setattr("sys.argv", ["featuredel", *words])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == code
    error = capsys.readouterr().err
    assert told in error
    assert error.startswith("featuredel: ") and error.count("\n") == 1


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, 3), (errno.EACCES, 2)])
def test_a_full_disk_is_the_machines(
    number: int, code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def failing() -> None:
        raise OSError(number, "told", "place")

    monkeypatch.setattr("sys.argv", ["featuredel"])
    with pytest.raises(SystemExit) as end:
        cli.main(failing)
    assert end.value.code == code
    assert capsys.readouterr().err == "featuredel: place: told\n"


def test_the_gold_patch_alone(dataset: str) -> None:
    code, output = run("inspect", dataset, task().task_id, "--gold")
    assert (code, output.encode()) == (0, task().gold_patch)
    with pytest.raises(UsageError, match="--gold needs a TASK"):
        run("inspect", dataset, "--gold")


def test_doctor_names_what_is_there() -> None:
    findings = {finding["what"] for finding in json.loads(run("doctor", "--json")[1])}
    assert {"Python", "sandbox bubblewrap", "sandbox docker", "git", "disk"} <= findings
