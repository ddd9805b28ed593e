"""What a command sees of the sandbox, and what comes back."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from featuredel.errors import SandboxError
from featuredel.sandbox import Command, ExecResult, Limits, Mount, Sandbox
from featuredel.trees import tree_hash

Shell = Callable[..., ExecResult]
pytestmark = pytest.mark.sandbox


def test_output_report_and_exit_code_come_back(shell: Shell) -> None:
    result = shell("echo out; echo err >&2; echo report >&3; exit 7")
    assert (result.stdout, result.stderr, result.report) == (b"out\n", b"err\n", b"report\n")
    assert (result.exit_code, result.ended) == (7, "exited")


def test_signal_is_a_negative_exit_code(quick: Shell) -> None:
    assert quick("kill -TERM $$").exit_code == -15
    assert quick("kill -KILL $$").exit_code == -9


def test_unknown_program_is_the_commands_fault(back_end: Sandbox, tree: Path) -> None:
    result = back_end.run(Command(argv=("no-such-program",), layers=(tree,)))
    assert (result.exit_code, result.ended) == (127, "exited")
    assert b"no-such-program" in result.stderr


def test_standard_input_of_any_size(quick: Shell) -> None:
    assert quick("wc -c", stdin=b"x" * 3_000_000).stdout.strip() == b"3000000"
    assert quick("cat").stdout == b""


def test_broken_pipes_end_programs_as_usual(quick: Shell) -> None:
    assert quick("yes | head -n 1").stdout == b"y\n"


def test_the_whole_environment_is_what_was_given(
    quick: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "1")
    shown = quick("env", variables={"NAME": "a b\nc", "LANG": "C"}).stdout.decode()
    assert "NAME=a b\nc\n" in shown
    assert "LANG=C\n" in shown
    assert "SECRET" not in shown
    assert {"HOME=/home/solver", "TMPDIR=/tmp"} <= set(shown.splitlines())


def test_user_directory_and_host_name_are_the_same_everywhere(quick: Shell) -> None:
    script = "id -un; id -u; pwd; uname -n; pwd -P; date +%Z"
    assert quick(script).stdout.split() == [
        *(b"solver", b"1000", b"/workspace", b"sandbox", b"/workspace", b"UTC"),
    ]


def test_the_tree_is_complete(shell: Shell) -> None:
    assert shell("cat link; ./run.sh").stdout == b"x = 1\nran\n"


def test_changes_are_seen_and_forgotten(shell: Shell, tree: Path) -> None:
    before = tree_hash(tree)
    script = (
        "echo 2 > src/mod.py; rm run.sh; rm -r src; mkdir src; ls -A src; echo n > src/n; cat src/n"
    )
    assert shell(script).stdout == b"n\n"
    assert tree_hash(tree) == before
    assert shell("cat src/mod.py").stdout == b"x = 1\n"


def test_the_first_layer_is_uppermost(shell: Shell, tree: Path, tmp_path: Path) -> None:
    upper = tmp_path / "upper"
    (upper / "src").mkdir(parents=True)
    (upper / "src" / "mod.py").write_text("x = 2\n")
    (upper / "extra").write_text("e\n")
    result = shell("cat src/mod.py extra run.sh | head -n 3", layers=(upper, tree))
    assert result.stdout == b"x = 2\ne\n#!/bin/sh\n"


def test_kept_changes_are_the_new_and_changed_files(
    shell: Shell, tree: Path, tmp_path: Path
) -> None:
    keep = tmp_path / "keep"
    keep.mkdir()
    script = """
        echo 2 > src/new; mkdir -p deep/er; echo 3 > deep/er/f; chmod 700 deep/er/f; rm run.sh
        ln -s /etc/passwd deep/out; touch src/mod.py; mkfifo pipe; mkdir empty
    """
    shell(script, keep_changes=keep)
    found = sorted(str(path.relative_to(keep)) for path in keep.rglob("*"))
    assert found == ["deep", "deep/er", "deep/er/f", "deep/out", "empty", "src", "src/new"]
    assert (keep / "deep/er/f").stat().st_mode & 0o777 == 0o700
    assert (keep / "deep/out").readlink() == Path("/etc/passwd")


def test_mounts_are_read_only_unless_asked(quick: Shell, tmp_path: Path) -> None:
    shared, private = tmp_path / "shared", tmp_path / "private"
    for directory in (shared, private):
        directory.mkdir()
    mounts = (Mount(shared, "/opt/shared", writable=True), Mount(private, "/home/solver/private"))
    script = "echo 1 > /opt/shared/a; echo 1 > /home/solver/private/a; echo 1 > /home/solver/b"
    result = quick(script, mounts=mounts)
    assert result.exit_code == 0  # of the last
    assert b"Read-only" in result.stderr
    assert ([*shared.iterdir()], [*private.iterdir()]) == ([shared / "a"], [])


def test_paths_of_this_machine_are_not_shown(quick: Shell, tree: Path) -> None:
    shown = quick(
        "cat /proc/*/cmdline /proc/self/mountinfo | tr '\\0' ' '; ls -l /proc/self/fd"
    ).stdout
    assert tree.name.encode() not in shown
    assert str(Path.home()).encode() not in shown


def test_only_the_descriptors_of_the_command_are_open(quick: Shell) -> None:
    descriptors = [os.open("/dev/null", os.O_RDONLY) for _ in range(80)]  # so that numbers are high
    try:
        assert quick("ls /proc/self/fd; echo r >&3").stdout.split() == [
            b"0",
            b"1",
            b"2",
            b"3",
            b"4",
        ]
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def test_missing_layer_is_a_sandbox_error(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="missing"):
        sandbox.run(Command(argv=("true",), layers=(tmp_path / "missing",)))


def test_clean_limits_do_not_touch_ordinary_commands(quick: Shell) -> None:
    result = quick("for i in 1 2 3; do (true) & done; wait; echo done", limits=Limits(processes=16))
    assert (result.stdout, result.ended) == (b"done\n", "exited")


def test_missing_mount_is_a_sandbox_error(back_end: Sandbox, tree: Path, tmp_path: Path) -> None:
    mount = Mount(tmp_path / "missing", "/opt/x")
    with pytest.raises(SandboxError, match=r"could not start .*missing"):
        back_end.run(Command(argv=("true",), layers=(tree,), mounts=(mount,)))


SEALED = """
for act in 'echo x > src/mod.py' 'rm -f src/mod.py' 'mv src/mod.py src/other' 'mv src old' \
    'rm -rf src' 'chmod 666 src/mod.py' 'mv src/new src/mod.py' 'mv . ../w'; do
    echo new > src/new; sh -c "$act" 2>/dev/null && echo "$act"
done
cat src/mod.py; echo y > run.sh; rm src/new link; mkdir src/folder; ls src; id -u
grep -h -E '^Cap(Eff|Prm|Amb)' /proc/self/status; kill -9 1; cat /proc/1/environ > /tmp/seen
"""


def test_what_is_sealed_stays_as_it_is(quick: Shell, back_end: Sandbox) -> None:
    result = quick(SEALED, sealed=("src/mod.py",))
    told = result.stdout.decode().split("\n")
    assert told[:4] == ["x = 1", "folder", "mod.py", "1000"], result
    assert [line.split()[-1] for line in told[4:-1]] == ["0" * 16] * 3
    if back_end.name == "docker":  # its first process has been root
        assert b"/proc/1/environ" in result.stderr


def test_changes_beside_what_is_sealed_are_kept(quick: Shell, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    quick("echo y > src/new.py", sealed=("src/mod.py",), keep_changes=tmp_path / "kept")
    assert [str(p.relative_to(tmp_path / "kept")) for p in (tmp_path / "kept").rglob("*")] == [
        "src", "src/new.py",
    ]  # fmt: skip
