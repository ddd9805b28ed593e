import json
from dataclasses import replace
from pathlib import Path

import pytest

from featuredel.languages.python.runner import test_command as command_for
from featuredel.model import Environment, TestId, TestRequest
from featuredel.sandbox import Command

ENVIRONMENT = Environment(
    id="0" * 16, interpreter="3.13.0", prefix=Path("/cache/env"), home=Path("/opt/python"),
    lock=(), build=(), products=None, test_roots=("tests", "more"),
)  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("tests/test_a.py", "tests/test_b.py", "more/test_[c].py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def places(command: Command) -> list[str]:
    return [word for word in command.argv if word.startswith(("./", "tests", "more"))]


def test_shows_environment_interpreter_and_probe_and_nothing_else(tree: Path) -> None:
    home = tree / "python"
    for place in ("bin", "lib/python3.13/site-packages/flask", "share"):
        (home / place).mkdir(parents=True)
    (home / "bin" / "python3.13").touch()
    command = command_for(replace(ENVIRONMENT, home=home), (tree,), TestRequest())
    shown = [f"{home}/bin/python3.13", f"{home}/lib"]
    assert [mount.target for mount in command.mounts] == ["/env", *shown, "/probe"]
    assert command.hidden == (f"{home}/lib/python3.13/site-packages",)
    assert not any(mount.writable for mount in command.mounts)
    assert not command.network
    assert command.argv[:3] == ("/env/bin/python", "-m", "pytest")


def test_limits_follow_the_request(tree: Path) -> None:
    command = command_for(ENVIRONMENT, (tree,), TestRequest(total_timeout_s=7, seed=3))
    assert command.limits.wall_s == 7
    assert command.variables["PYTHONHASHSEED"] == "3"


def test_ids_travel_through_stdin_and_only_their_files_are_collected(tree: Path) -> None:
    ids = (TestId("tests/test_b.py::test_ü[a b/\n]"), TestId("tests/test_b.py::test_x"))
    command = command_for(ENVIRONMENT, (tree,), TestRequest(ids=ids))
    assert json.loads(command.stdin)["ids"] == list(ids)
    assert not any("test_x" in word for word in command.argv)
    assert places(command) == ["./tests/test_b.py"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/gone.py", []),
        ("../test_a.py", []),
        ("/etc/passwd", []),
        ("more/test_[c].py", ["tests", "more"]),
    ],
)
def test_files_that_cannot_be_named_are_not(tree: Path, path: str, expected: list[str]) -> None:
    ids = (TestId(f"{path}::test_x"),)
    assert places(command_for(ENVIRONMENT, (tree,), TestRequest(ids=ids))) == expected


def test_the_uppermost_layer_configures_pytest(tree: Path, tmp_path: Path) -> None:
    upper = tmp_path / "upper"
    upper.mkdir()
    (upper / "tox.ini").write_text("[pytest]\naddopts = -x --doctest-modules\n")
    (tree / "tox.ini").write_text("[pytest]\naddopts = --pyargs\n")
    command = command_for(ENVIRONMENT, (upper, tree), TestRequest())
    assert "addopts=--doctest-modules" in command.argv
    assert "/workspace/tox.ini" in command.argv


def test_no_link_is_followed_to_a_configuration(tree: Path) -> None:
    (tree / "secret").write_text("[pytest]\naddopts = --pyargs\n")
    (tree / "pytest.ini").symlink_to(tree / "secret")
    assert "addopts=" in command_for(ENVIRONMENT, (tree,), TestRequest()).argv


def test_variables_of_the_environment_are_kept(tree: Path) -> None:
    environment = replace(ENVIRONMENT, variables={"PYTHONPATH": "/workspace/lib", "A": "b"})
    variables = command_for(environment, (tree,), TestRequest()).variables
    assert variables["PYTHONPATH"] == "/probe:/workspace/lib"
    assert variables["A"] == "b"


def test_unittest_suites_are_found_by_unittests_own_pattern(tree: Path) -> None:
    environment = replace(ENVIRONMENT, runner="unittest")
    assert "python_files=test*.py" in command_for(environment, (tree,), TestRequest()).argv
