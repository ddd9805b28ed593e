"""Without a sandbox: the same words, but no protection."""

from collections.abc import Callable
from pathlib import Path

import pytest

from featuredel.sandbox import Command, ExecResult, Limits, Mount
from featuredel.sandbox.local import Local, real
from featuredel.trees import tree_hash

Shell = Callable[..., ExecResult]


@pytest.fixture
def local(tree: Path) -> Shell:
    def run(script: str, **fields: object) -> ExecResult:
        command = Command(argv=("/bin/sh", "-c", script), layers=(tree,), **fields)  # type: ignore[arg-type]
        return Local().run(command)

    return run


def test_output_report_and_exit_code_come_back(local: Shell) -> None:
    result = local("cat; cat link; echo report >&3; exit 7", stdin=b"in\n")
    assert (result.stdout, result.report, result.exit_code) == (b"in\nx = 1\n", b"report\n", 7)
    assert local("kill -TERM $$").exit_code == -15


def test_the_tree_is_a_copy(local: Shell, tree: Path, tmp_path: Path) -> None:
    before, keep = tree_hash(tree), tmp_path / "keep"
    keep.mkdir()
    local("echo 2 > src/mod.py; rm run.sh; echo n > /workspace/new", keep_changes=keep)
    assert tree_hash(tree) == before
    assert sorted(path.name for path in keep.rglob("*")) == ["mod.py", "new", "src"]


def test_paths_of_the_sandbox_become_real(local: Shell, tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("tool")
    result = local(
        "cat /env/tool $PLACE", mounts=(Mount(tmp_path, "/env"),), variables={"PLACE": "/env/tool"}
    )
    assert result.stdout == b"tooltool"


def test_only_whole_paths_are_replaced() -> None:
    paths = {"/env": Path("/e"), "/env/lib": Path("/l")}
    assert real("/env/lib/a:/env:x/env:/envy:/env.d", paths) == "/l/a:/e:x/env:/envy:/env.d"


def test_time_and_output_are_bounded(local: Shell) -> None:
    assert local("sleep 60 & sleep 60", limits=Limits(wall_s=0.3)).ended == "timeout"
    assert local("yes", limits=Limits(output_bytes=100)).stdout == b"y\n" * 50
    assert local("ulimit -n", limits=Limits(open_files=77)).stdout == b"77\n"


def test_unknown_program_exits_with_127(tree: Path) -> None:
    assert Local().run(Command(argv=("no-such-program",), layers=(tree,))).exit_code == 127
