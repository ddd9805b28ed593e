"""Commands that take too much: each is ended, and this process stays small."""

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from featuredel.errors import ChangesError
from featuredel.sandbox import Command, ExecResult, Limits, cgroup
from featuredel.sandbox.bubblewrap import Bubblewrap

Shell = Callable[..., ExecResult]
pytestmark = pytest.mark.sandbox

MEBIBYTE = 1 << 20
BOMB = "bomb() { bomb | bomb & }; bomb; sleep 60"


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_hanging_command_ends_with_a_timeout(shell: Shell) -> None:
    result = shell(
        "trap '' TERM INT HUP; echo before; while :; do sleep 1; done", limits=Limits(wall_s=3)
    )
    assert (result.ended, result.exit_code, result.stdout) == ("timeout", None, b"before\n")


def test_a_gigabyte_of_output_ends_the_command(quick: Shell) -> None:
    before = peak_bytes()
    for script in ("head -c 1G /dev/zero", "head -c 1G /dev/zero >&2"):
        result = quick(script)
        assert (result.ended, result.exit_code) == ("output", None)
        assert len(result.stdout + result.stderr) == Limits().output_bytes
    assert peak_bytes() - before < 64 * MEBIBYTE


def test_output_at_the_limit_is_whole(quick: Shell) -> None:
    limits = Limits(output_bytes=100_000, report_bytes=50)
    assert len(quick("head -c 100000 /dev/zero", limits=limits).stdout) == 100_000
    assert quick("head -c 100001 /dev/zero", limits=limits).ended == "output"
    assert quick("head -c 51 /dev/zero >&3", limits=limits).ended == "output"


def test_closed_output_is_no_reason_to_end(quick: Shell) -> None:
    assert quick("exec >&- 2>&- 3>&-; sleep 0.2; exit 5").exit_code == 5


def test_fork_bomb_ends(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = Command(
        argv=("/bin/bash", "-c", BOMB), layers=(tree,), limits=Limits(processes=64, wall_s=60)
    )
    assert Bubblewrap().run(command).ended == "processes"
    # where root may not make control groups, the launcher counts by itself
    monkeypatch.setattr(cgroup, "create", lambda processes: None)
    assert Bubblewrap().run(command).ended == "processes"


def test_many_threads_end(python: Shell) -> None:
    code = """
import threading, time
for _ in range(500):
    threading.Thread(target=time.sleep, args=(60,)).start()
"""
    result = python(code, limits=Limits(processes=50, wall_s=50))
    assert result.ended == "processes" or b"can't start new thread" in result.stderr


def test_memory_is_bounded(python: Shell) -> None:
    result = python("bytearray(300 << 20)", limits=Limits(memory_bytes=200 * MEBIBYTE))
    assert b"MemoryError" in result.stderr


def test_file_size_is_bounded(python: Shell) -> None:
    result = python("open('f', 'wb').write(bytes(2 << 20))", limits=Limits(file_bytes=MEBIBYTE))
    assert b"File too large" in result.stderr


@pytest.mark.parametrize("place", ["/workspace", "/tmp", "/home/solver", "/dev/shm"])
def test_scratch_space_is_bounded(shell: Shell, place: str) -> None:
    script = f"head -c 3M /dev/zero > {place}/a || exit 9"
    assert shell(script, limits=Limits(scratch_bytes=2 * MEBIBYTE)).exit_code == 9
    assert shell(script, limits=Limits(scratch_bytes=4 * MEBIBYTE)).exit_code == 0


def test_the_number_of_files_is_bounded(quick: Shell) -> None:
    script = "cd /tmp; seq 5000 | xargs touch"
    assert quick(script, limits=Limits(scratch_bytes=8 * MEBIBYTE)).exit_code != 0


def test_holes_do_not_fill_the_disk(quick: Shell, tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    keep.mkdir()
    script = "for i in 1 2 3; do truncate -s 50M $i; done"
    with pytest.raises(ChangesError, match="keep the changes: File too large"):
        quick(script, keep_changes=keep, limits=Limits(scratch_bytes=32 * MEBIBYTE))
    assert list(keep.iterdir()) == []


def test_processor_time_is_bounded(quick: Shell) -> None:
    result = quick("while :; do :; done", limits=Limits(cpu_s=1, wall_s=100))
    assert (result.ended, result.exit_code) == ("exited", -24)  # SIGXCPU


def test_open_files_and_cores_are_bounded(quick: Shell) -> None:
    assert quick("ulimit -n; ulimit -c", limits=Limits(open_files=99)).stdout == b"99\n0\n"


def test_limits_cannot_be_raised(quick: Shell) -> None:
    assert quick("ulimit -n 2000", limits=Limits(open_files=99)).exit_code != 0


BURN = "import os, time\ndef burn():\n    while time.process_time() < 0.4: pass\n"


def test_processor_time_of_all_processes_is_counted(python: Shell) -> None:
    reaped = "if os.fork() == 0: burn(); os._exit(0)\nburn(); os.wait()"
    assert python(BURN + reaped).cpu_s == pytest.approx(0.85, abs=0.15)


def test_processor_time_of_what_is_killed_is_counted(python: Shell) -> None:
    orphan = """
reader, writer = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        burn()
        os.write(writer, b'x')
        time.sleep(60)
    os._exit(0)
os.wait()
os.read(reader, 1)
"""
    assert python(BURN + orphan).cpu_s == pytest.approx(0.45, abs=0.15)
    endless = """
reader, writer = os.pipe()
if os.fork() == 0:
    burn()
    os.write(writer, b'x')
    time.sleep(60)
burn()
os.read(reader, 1)
print('x' * 2000, flush=True)
time.sleep(60)
"""
    result = python(BURN + endless, limits=Limits(output_bytes=1000))
    assert result.ended == "output"
    assert result.cpu_s == pytest.approx(0.85, abs=0.15)
