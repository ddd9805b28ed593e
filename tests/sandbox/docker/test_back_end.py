"""What is Docker's own: how trees come in and go out, and what guards the first process."""

from pathlib import Path
from typing import Any

import pytest

from featuredel.errors import SandboxError
from featuredel.sandbox import Command, ExecResult, Limits, Mount
from featuredel.sandbox.docker.back_end import Docker
from featuredel.sandbox.docker.engine import connect

pytestmark = pytest.mark.docker


def run(docker: Docker, script: str, *layers: Path, **fields: Any) -> ExecResult:
    return docker.run(Command(argv=("/bin/sh", "-c", script), layers=layers, **fields))


def test_what_lies_below_another_layer_is_nowhere(
    docker: Docker, tree: Path, tmp_path: Path
) -> None:
    upper = tmp_path / "upper"
    upper.mkdir()
    (upper / "run.sh").write_text("without\n")
    result = run(docker, "cat run.sh; grep -rl 'echo ran' / --exclude-dir=proc --exclude-dir=sys "
                 "2>/dev/null | head", upper, tree)  # fmt: skip
    assert result.stdout == b"without\n"


def test_a_writable_mount_is_copied_in_and_comes_back(
    docker: Docker, tree: Path, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o700)
    (shared / "old").write_text("old")
    mounts = (Mount(shared, "/out", writable=True),)
    script = "cat /out/old; echo new > /out/new; mkdir /out/d; echo x > /out/d/f"
    assert run(docker, script, tree, mounts=mounts).stdout == b"old"
    assert (shared / "new").read_text() == "new\n"
    assert (shared / "d" / "f").exists()
    run(docker, "echo late > /out/late; sleep 60", tree, mounts=mounts, limits=Limits(wall_s=1))
    assert not (shared / "late").exists()


def test_the_first_process_cannot_be_reached(docker: Docker, tree: Path) -> None:
    script = """
        ls /proc/1/fd; cat /proc/1/environ /proc/1/maps; ls -A /run/pipes; kill -9 1; kill -TERM 1
        for i in 0 1 2 3 4 5 6 7 8 9 10 11 12; do echo forged > /proc/1/fd/$i; done
        sleep 0.1; exit 3
    """
    result = run(docker, script, tree)
    assert (result.exit_code, result.stdout, result.report) == (3, b"", b"")
    assert result.stderr.count(b"Permission denied") >= 3


def test_nothing_of_the_program_is_a_file_in_the_container(docker: Docker, tree: Path) -> None:
    result = run(docker, "grep -rl featuredel / --exclude-dir=proc --exclude-dir=sys; true", tree)
    assert result.stdout == b""


def test_a_fork_bomb_ends(docker: Docker, tree: Path) -> None:
    script = "bash -c 'bomb() { bomb | bomb & }; bomb; sleep 60'"
    result = run(docker, script, tree, limits=Limits(processes=64, wall_s=60))
    assert (result.ended, result.exit_code) == ("processes", None)


HOLDERS = """
import os, signal
children = []
for _ in range(6):
    reader, writer = os.pipe()
    children.append(os.fork())
    if children[-1] == 0:
        data = b"1" * (100 << 20)
        os.write(writer, b"x")
        signal.pause()
    os.close(writer)
    os.read(reader, 1)  # nothing comes of one that was killed
print(sum(os.waitpid(child, os.WNOHANG)[0] == 0 for child in children))
"""


def test_the_memory_of_all_together_is_bounded(docker: Docker, tree: Path) -> None:
    limits = Limits(memory_bytes=150 << 20, scratch_bytes=50 << 20)
    command = Command(argv=("python3", "-c", HOLDERS), layers=(tree,), limits=limits)
    result = docker.run(command)
    assert (result.stdout == b"") == (result.exit_code == -9)  # it may be the parent that goes
    assert int(result.stdout or 0) < 4  # of 300 MiB in all


def test_orphans_do_not_count_once_they_have_ended(docker: Docker, tree: Path) -> None:
    script = """
        i=0
        while [ $i -lt 40 ]; do i=$((i + 1)); (true & ) ; sleep 0.02; done
        echo done
    """
    result = run(docker, script, tree, limits=Limits(processes=20))
    assert (result.ended, result.stdout) == ("exited", b"done\n")


def test_a_container_that_is_removed_from_outside_is_an_error(docker: Docker, tree: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from processes import running, wait_until

    client = connect()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run, docker, "exec sleep 1234.567", tree)
        assert wait_until("1234.567", there=True)
        for found in client.api.containers(filters={"label": "featuredel.kind=run"}):
            client.api.kill(found["Id"])
        with pytest.raises(SandboxError, match="broke down"):
            future.result()
    client.close()
    assert running("1234.567") == []
