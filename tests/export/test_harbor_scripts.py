"""The scripts of a Harbor task, run where their paths are theirs."""

import json
import shutil
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from featuredel import git
from featuredel.sandbox import Command, ExecResult, Mount
from featuredel.sandbox.bubblewrap import Bubblewrap

pytestmark = pytest.mark.sandbox

REPORT = '{"reward": 0.5, "f2p_rate": 0.5, "p2p_rate": 1, "outcomes": {}}'


def script(name: str, directory: Path) -> Path:
    text = files("featuredel.export.harbor").joinpath("files", name).read_bytes()
    (directory / name).write_bytes(text)
    return directory


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    made = tmp_path / "logs" / "verifier"
    made.mkdir(parents=True)
    for name in ("reward.json", "reward.txt", "report.json"):
        (made / name).write_text("1.0")  # an agent's, or of a run before
    return made


def verify(tmp_path: Path, grader: str, *, tree: bool = True) -> ExecResult:
    """Run test.sh with a shell script for featuredel."""
    tests, home, workspace = (tmp_path / name for name in ("tests", "home", "workspace"))
    for directory in (tests, home / "bin", workspace):
        directory.mkdir(parents=True)
    script("test.sh", tests)
    (tests / "task").write_text("an id\n")
    minor = f"{sys.version_info.major}.{sys.version_info.minor}"
    for name, text in (
        ("featuredel", grader),
        ("python", f'exec {sys.base_prefix}/bin/python{minor} -I -S "$@"'),
    ):
        (home / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (home / "bin" / name).chmod(0o755)
    prepared = "" if tree else "sed -i s,/workspace,/nowhere, /tests/test.sh && "
    command = Command(
        argv=("/bin/sh", "-c", f"{prepared}sh /tests/test.sh"),
        layers=(workspace,),
        mounts=(
            Mount(tmp_path / "logs", "/logs", writable=True),
            Mount(tests, "/tests", writable=True),
            Mount(home, "/opt/featuredel"),
            Mount(Path(sys.base_prefix), sys.base_prefix),
        ),
    )
    return Bubblewrap().run(command)


def test_a_reward_is_what_the_grader_says(tmp_path: Path, logs: Path) -> None:
    done = verify(tmp_path, f"echo \"$@\" >&2; echo '{REPORT}'")
    assert done.exit_code == 0
    assert done.stderr.startswith(b"grade /tests/dataset an id /workspace --sandbox auto --work /")
    assert json.loads((logs / "reward.json").read_text()) == {"reward": 0.5, "f2p": 0.5, "p2p": 1.0}
    assert json.loads((logs / "report.json").read_text()) == json.loads(REPORT)
    assert not (logs / "reward.txt").exists()
    assert logs.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "grader",
    ["exit 3", f"echo '{REPORT}'; exit 3", "echo half of", "kill -9 $$", "echo '{}'"],
)
def test_there_is_no_reward_without_a_whole_grading(
    tmp_path: Path, logs: Path, grader: str
) -> None:
    assert verify(tmp_path, grader).exit_code != 0
    assert not (logs / "reward.json").exists() and not (logs / "reward.txt").exists()


def test_there_is_no_reward_for_what_did_not_arrive(tmp_path: Path, logs: Path) -> None:
    done = verify(tmp_path, f"echo '{REPORT}'", tree=False)
    assert (done.exit_code, done.stderr) == (3, b"/nowhere did not arrive\n")
    assert not (logs / "reward.json").exists()


def test_the_oracle_puts_the_code_back(tmp_path: Path) -> None:
    tree, solution, keep = (tmp_path / name for name in ("tree", "solution", "keep"))
    for directory in (tree, solution, keep):
        directory.mkdir()
    (tree / "module.py").write_text("x = 1\n")
    (solution / "gold.diff").write_bytes(git.diff(tree, {"module.py": b"x = 2\n"}))
    script("solve.sh", solution)
    assert shutil.which("git")
    command = Command(
        argv=("/bin/sh", "/solution/solve.sh"), layers=(tree,),
        mounts=(Mount(solution, "/solution"),), keep_changes=keep,
    )  # fmt: skip
    assert Bubblewrap().run(command).exit_code == 0
    assert (keep / "module.py").read_text() == "x = 2\n"
