"""The end of a sandbox: nothing of it stays, whatever ends it."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from processes import eventually, running, wait_until

from featuredel.errors import SandboxError
from featuredel.sandbox import Command, ExecResult, Limits, Sandbox, cgroup
from featuredel.sandbox.bubblewrap import Bubblewrap
from featuredel.sandbox.docker import labels, warden
from featuredel.sandbox.docker.back_end import Docker
from featuredel.trees import tree_hash

Shell = Callable[..., ExecResult]
pytestmark = pytest.mark.sandbox

PARENT = """
import os
import signal
import sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's & has it ignore
from featuredel.sandbox import Command
from featuredel.sandbox.table import BACK_ENDS
script = "setsid sleep {0} & sleep {0}".format(os.environ["SECONDS"])
sandbox = BACK_ENDS[sys.argv[2]]("")
sandbox.run(Command(argv=("/bin/sh", "-c", script), layers=(Path(sys.argv[1]),)))
"""


def marker(number: int) -> str:
    """Return a time to sleep that no other process of this machine sleeps."""
    return f"{3000 + number}.{os.getpid()}"


def groups() -> list[Path]:
    """Return the control groups of this process's sandboxes that are there."""
    own = cgroup.own_group()
    return list(own.glob(f"{cgroup.PREFIX}*")) if own else []


def test_daemons_are_dead_when_run_returns(shell: Shell) -> None:
    seconds = marker(1)
    script = f"setsid sh -c 'sleep {seconds} & sleep {seconds}' >/dev/null 2>&1 & sleep 0.2"
    assert shell(script).exit_code == 0
    assert running(seconds) == []


def test_nothing_runs_after_a_timeout(quick: Shell) -> None:
    seconds = marker(2)
    quick(f"setsid sleep {seconds} & sleep {seconds}", limits=Limits(wall_s=0.5))
    assert running(seconds) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_everything_dies_with_the_parent(
    back_end: Sandbox, tree: Path, number: signal.Signals
) -> None:
    seconds = marker(10 + number)
    mounts = mounted()
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tree), back_end.name],
        # not among the arguments, where it would look as if the sandbox ran already
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "SECONDS": seconds},
        stderr=subprocess.DEVNULL,
    )
    assert wait_until(seconds, there=True)
    parent.send_signal(number)
    parent.wait()
    assert wait_until(seconds, there=False)
    assert mounted() == mounts
    # an engine takes its own time to remove what has ended
    assert eventually(lambda: not containers(back_end, parent.pid))


DIES_BEFORE = """
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from docker.api.container import ContainerApiMixin
from featuredel.sandbox import Command
from featuredel.sandbox.docker import warden
from featuredel.sandbox.docker.back_end import Docker

start = ContainerApiMixin.start

def late(self, container):
    if sys.argv[2] == "never" or os.fork():
        os.kill(os.getpid(), signal.SIGKILL)
    while os.getppid() == int(sys.argv[3]):
        time.sleep(0.01)
    start(self, container)
    os._exit(0)

sys.argv.append(str(os.getpid()))
if sys.argv[2] == "late":  # it has to see for itself
    warden.post = lambda: subprocess.Popen(["true"])
ContainerApiMixin.start = late
Docker().run(Command(argv=("true",), layers=(Path(sys.argv[1]),)))
"""


@pytest.mark.docker
@pytest.mark.usefixtures("docker")  # which says why it skips where no engine answers
def test_a_warden_is_there_as_long_as_its_back_end() -> None:
    def wardens() -> list[int]:
        return [process for process in running(warden.PROGRAM) if mine(process)]

    before = wardens()
    own = Docker()
    # between its fork and its exec a process does not yet show what it runs
    assert eventually(lambda: len(wardens()) == len(before) + 1)
    own.close()
    assert wardens() == before


def mine(process: int) -> bool:
    """Say whether a process is a child of this one."""
    return f"\nPPid:\t{os.getpid()}\n" in Path(f"/proc/{process}/status").read_text()


@pytest.mark.docker
@pytest.mark.parametrize("starts", ["late", "never"])
def test_a_container_that_is_made_before_its_parent_dies_goes(
    docker: Docker, tree: Path, starts: str
) -> None:
    docker.run(Command(argv=("true",), layers=(tree,)))  # which makes the image
    parent = subprocess.Popen(
        [sys.executable, "-c", DIES_BEFORE, str(tree), starts],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert parent.wait() == -signal.SIGKILL
    assert eventually(lambda: bool(containers(docker, parent.pid)))
    assert eventually(lambda: not containers(docker, parent.pid))


def names(directory: str) -> set[str]:
    """Return the names in a directory."""
    return {path.name for path in Path(directory).iterdir()}


def mounted() -> list[str]:
    """Return what is mounted, but for containers, which may be anybody's."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if "docker" not in line]


def containers(back_end: Sandbox, process: int) -> list[str]:
    """Return the containers that a process has started and that are there."""
    if not isinstance(back_end, Docker):
        return []
    found = back_end._client.api.containers(all=True, filters={"label": labels.OWNER})
    marks = [one["Labels"][labels.OWNER] for one in found]
    return [mark for mark in marks if f"/{process}." in mark]


def test_nothing_is_left_on_disk_or_in_the_kernel(quick: Shell, back_end: Sandbox) -> None:
    quick("true")  # the first may make an image, and keeps connections to an engine
    places, descriptors = names(tempfile.gettempdir()), len(names("/proc/self/fd"))
    mounts = mounted()
    quick("echo x > /tmp/x; echo y > y")
    quick("sleep 9", limits=Limits(wall_s=0.2))
    left = names(tempfile.gettempdir()) - places
    assert not [name for name in left if name.startswith("featuredel")]
    assert len(names("/proc/self/fd")) <= descriptors
    assert mounted() == mounts
    assert containers(back_end, os.getpid()) == []
    assert not [group for group in groups() if f"{cgroup.PREFIX}{os.getpid()}-" in group.name]


def test_many_at_once_do_not_meet(back_end: Sandbox, tree: Path) -> None:
    before = tree_hash(tree)

    def run(number: int) -> bytes:
        script = (
            f"echo {number} > src/mod.py; echo {number} > /tmp/n; sleep 0.1; cat src/mod.py /tmp/n"
        )
        return back_end.run(Command(argv=("/bin/sh", "-c", script), layers=(tree,))).stdout

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(run, range(24)))
    assert results == [f"{number}\n{number}\n".encode() for number in range(24)]
    assert tree_hash(tree) == before


def test_a_sandbox_whose_first_process_is_killed_is_an_error(tree: Path) -> None:
    seconds = marker(3)
    with ThreadPoolExecutor(1) as pool:
        command = Command(argv=("sleep", seconds), layers=(tree,), limits=Limits(wall_s=60))
        future = pool.submit(Bubblewrap().run, command)
        assert wait_until(seconds, there=True)
        launcher = ancestors(running(seconds)[0])
        os.kill(launcher, signal.SIGKILL)
        with pytest.raises(SandboxError, match="broke down"):
            future.result()
    assert wait_until(seconds, there=False)


@pytest.fixture
def forks() -> Iterator[list[int]]:
    """Give a list for forks of this process, which are ended."""
    children: list[int] = []
    yield children
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_fork_made_meanwhile_does_not_keep_a_run_from_ending(
    back_end: Sandbox, tree: Path, forks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("launch", "docker.back_end"):
        monkeypatch.setattr(f"featuredel.sandbox.{module}.GRACE_S", 10.0)
    seconds = marker(4)
    with ThreadPoolExecutor(1) as pool:
        command = Command(("sleep", seconds), (tree,), limits=Limits(wall_s=2))
        run = pool.submit(back_end.run, command)
        assert wait_until(seconds, there=True)
        if (child := os.fork()) == 0:
            signal.pause()
            os._exit(0)
        forks.append(child)
        # it is told to end through a pipe that closes, and the fork must not have that open
        assert run.result().ended == "timeout"


def ancestors(process: int) -> int:
    """Return the ancestor of `process` that is a child of this process."""
    while True:
        status = Path(f"/proc/{process}/stat").read_text()
        parent = int(status.rpartition(")")[2].split()[1])
        if parent == os.getpid():
            return process
        process = parent
