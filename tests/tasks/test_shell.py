"""A shell in a task's sandbox: what is kept, what is not, and what a command can do to it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from engine import docker_engine
from python_environments import make_environment
from toy_dataset import MUL, have_environment, write_two_tasks

from featuredel import api, cli
from featuredel.languages.python.interpreters import interpreters
from featuredel.tasks.shell import Shell

pytestmark = pytest.mark.sandbox

DEEP = 'python -c \'import os\nfor _ in range(300): os.mkdir("d"); os.chdir("d")\''


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> api.Task:
    folder = tmp_path_factory.mktemp("shell")
    dataset = write_two_tasks(folder)
    work = have_environment(folder / "work")
    return api.load(dataset, sandbox="bubblewrap", work=work)[MUL]


@pytest.fixture
def tree(task: api.Task, tmp_path: Path) -> Path:
    task.materialize(tmp_path / "tree")
    return tmp_path / "tree"


@pytest.fixture
def shell(task: api.Task, tree: Path) -> Shell:
    return task.shell(tree, timeout_s=20, output_bytes=2000)


def succeed(shell: Shell, command: str) -> str:
    said = shell.run(command)
    assert said.exit_code == 0, said
    return said.output


def test_it_is_where_the_tests_run(shell: Shell) -> None:
    assert "/workspace\n" in succeed(shell, "pwd; python -m pytest -q 2>&1 | tail -1")
    assert "passed" in succeed(shell, "python -m pytest -q 2>&1 | tail -1")
    assert "1" in succeed(shell, "git log --oneline | wc -l")


def test_changes_are_kept_and_so_is_what_went(shell: Shell, tree: Path) -> None:
    succeed(shell, "rm calc/more.py; mkdir -p new/deep; echo text >new/deep/file; ln -s file new/l")
    assert not (tree / "calc/more.py").exists()
    assert (tree / "new/deep/file").read_text() == "text\n" and (tree / "new/l").is_symlink()
    assert succeed(shell, "ls calc new; git status --short").split() == [
        "calc:", "__init__.py", "core.py", "new:", "deep", "l", "D", "calc/more.py", "??", "new/",
    ]  # fmt: skip
    succeed(shell, "rm -r new; echo now a file >new; git checkout -q calc; git add -A")
    assert (tree / "new").read_text() == "now a file\n" and (tree / "calc/more.py").exists()
    succeed(shell, "git config user.name a; git config user.email a; git commit -qam done")
    assert succeed(shell, "rm new; mkdir new; touch new/x; ls new") == "x\n"
    assert not (tree / ".git/index.lock").exists()


def test_processes_and_temporary_files_are_not_kept(shell: Shell) -> None:
    assert succeed(shell, "echo x >/tmp/x; (setsid sleep 99 &); echo said") == "said\n"
    assert shell.run("cat /tmp/x").exit_code == 1
    assert shell.run("pgrep sleep").exit_code == 1


def test_exit_codes_are_as_a_shell_has_them(shell: Shell) -> None:
    assert shell.run("exit 7").exit_code == 7
    assert shell.run("no-such-program").exit_code == 127
    assert shell.run("kill -9 $$").exit_code == 137
    assert shell.run("syntax (").exit_code == 2


def test_both_outputs_are_said_in_turn_and_cut_in_the_middle(shell: Shell) -> None:
    assert succeed(shell, "echo one; echo two >&2; echo three") == "one\ntwo\nthree\n"
    said = succeed(shell, "seq 100000")
    assert said.startswith("1\n2\n") and said.endswith("99999\n100000\n")
    assert "bytes are left out here" in said and len(said) < 2100
    assert "�" in succeed(shell, r"printf '\xff'")


def test_a_command_that_asks_gets_nothing(shell: Shell) -> None:
    assert succeed(shell, "read answer; cat; echo done") == "done\n"


def test_its_time_ends_a_command_and_not_what_it_wrote(task: api.Task, tree: Path) -> None:
    said = task.shell(tree, timeout_s=1).run("echo begun | tee here; trap '' TERM; sleep 99")
    assert said.exit_code in (124, 137) and said.output.startswith("begun\n")
    assert (tree / "here").exists()


def test_closed_folders_are_opened(shell: Shell, tree: Path) -> None:
    succeed(shell, "mkdir -p closed/deep; touch closed/deep/x; chmod 0 closed/deep closed")
    assert (tree / "closed/deep/x").exists()
    assert succeed(shell, "ls closed/deep; rm -r closed") == "x\n"
    assert not (tree / "closed").exists()
    shell.run("chmod -R 0 .")
    assert "calc" in succeed(shell, "ls") and (tree / "calc/more.py").exists()


def test_a_command_that_ends_its_shell_loses_nothing_else(shell: Shell, tree: Path) -> None:
    before = sorted(path for path in tree.rglob("*") if ".git" not in path.parts)
    said = shell.run("touch kept; kill -9 $PPID $(ps -o ppid= $PPID)")
    assert said.exit_code != 0
    assert set(before) <= set(tree.rglob("*"))
    assert "calc" in succeed(shell, "rm -f kept; ls")


@pytest.mark.parametrize(
    "command",
    [
        "for i in $(seq 20); do truncate -s 200M hole$i; done",
        DEEP,
        "python -c 'import os\nfor _ in range(9): os.mkdir(\"d\" * 250); os.chdir(\"d\" * 250)\n"
        "for _ in range(9): os.mkdir(\"e\" * 250); os.chdir(\"e\" * 250)'",
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_said_and_lost(shell: Shell, tree: Path, command: str) -> None:
    said = shell.run(f"touch first; {command}")
    assert "lost" in said.output and said.exit_code != 0
    assert not (tree / "first").exists()
    assert "calc" in succeed(shell, "ls")


def test_links_lead_nowhere(shell: Shell, tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("mine")
    succeed(shell, f"rm -r calc; ln -s {outside} calc; ln -s {outside}/file link")
    succeed(shell, "rm calc link; mkdir calc; echo theirs >calc/file; echo theirs >link")
    assert (outside / "file").read_text() == "mine" and (tree / "calc/file").exists()
    succeed(shell, f"rm -r calc; ln -s {outside} calc; rm calc")
    assert (outside / "file").exists()


def test_what_is_no_command_is_not_run(shell: Shell) -> None:
    assert shell.run("echo \0").exit_code == 126
    said = shell.run(f"cat <<'E'\n{'x' * 200_000}\nE")
    assert said.exit_code == 126 and "100000 bytes" in said.output
    assert succeed(shell, "echo '\ud800'") == "\\ud800\n"


def test_a_diff_is_what_is_graded(task: api.Task, shell: Shell, tree: Path) -> None:
    assert task.diff(tree) == b""
    succeed(shell, "echo 'x = 1' >>calc/core.py; touch conftest.py; echo >>STATEMENT.md; git add .")
    patch = task.diff(tree)
    assert b"+x = 1" in patch and b"conftest" not in patch and b"STATEMENT" not in patch
    by_diff, by_tree = task.grade(patch), task.grade(tree)
    assert by_diff.outcomes == by_tree.outcomes and by_tree.dropped == ("conftest.py",)


def test_the_command_runs_one_or_each_line(task: api.Task, tree: Path) -> None:
    place = (task.dataset, task.id, str(tree), "--work", str(Path(task.dataset).parent / "work"))
    run = CliRunner().invoke
    one = run(cli.cli, ["shell", *place, "echo here; touch made; exit 3"], standalone_mode=False)
    assert (one.return_value, one.output) == (3, "here\n") and (tree / "made").exists()
    lines = run(cli.cli, ["shell", *place], input="rm made\nls\n", standalone_mode=False)
    assert lines.return_value == 0 and "calc" in lines.output and "made" not in lines.output
    words = [sys.executable, "-m", "featuredel", "shell", *place]
    raw = subprocess.run(words, input=b"echo '\xff'\n", capture_output=True, check=False)
    assert (raw.returncode, raw.stdout, raw.stderr) == (0, b"\\xff\n", b"")
    gone = run(cli.cli, ["shell", task.dataset, task.id, str(tree / "gone"), "ls"])
    assert gone.exit_code == 2


@pytest.fixture(scope="module")
def in_docker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], Shell]]:
    """Return how a shell is had in containers, with an environment that an image is made of."""
    prefix = tmp_path_factory.mktemp("environment") / "prefix"
    environment = make_environment(interpreters()[0], prefix)
    with docker_engine() as back_end:
        yield lambda tree: Shell(tree, back_end, environment, "python", 10, 2000)


@pytest.mark.docker
def test_it_is_the_same_in_docker(in_docker: Callable[[Path], Shell], tree: Path) -> None:
    shell = in_docker(tree)
    succeed(shell, "rm calc/more.py; mkdir new; echo text >new/file; ln -s file new/link")
    assert not (tree / "calc/more.py").exists() and (tree / "new/link").is_symlink()
    assert succeed(shell, "ls calc; git status --short").split() == [
        "__init__.py", "core.py", "D", "calc/more.py", "??", "new/",
    ]  # fmt: skip
    succeed(shell, "rm -r new; echo x >new; chmod 0 calc")
    assert (tree / "new").read_text() == "x\n" and (tree / "calc/core.py").exists()
    said = shell.run("touch written; sleep 99")
    assert said.exit_code == 124 and (tree / "written").exists()
    assert "lost" in shell.run(DEEP).output
    assert succeed(shell, "seq 10000").startswith("1\n") and shell.run("exit 7").exit_code == 7
