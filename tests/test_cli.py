import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from samples import task

from featuredel import cli
from featuredel.errors import UsageError
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


def test_every_command_explains_itself() -> None:
    for name in ("run", "inspect", "materialize", "grade", "check", "doctor"):
        result = CliRunner().invoke(cli.cli, [name, "--help"])
        assert result.exit_code == 0
        assert len(result.output.splitlines()) > 3


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
    assert "Traceback" not in error


def test_doctor_names_what_is_there() -> None:
    findings = {finding["what"] for finding in json.loads(run("doctor", "--json")[1])}
    assert {"Python", "sandbox", "git", "disk"} <= findings
