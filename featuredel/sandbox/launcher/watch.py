"""When a sandbox has to end, and how everything in it does."""

# pathlib takes longer to import than all of this
# ruff: noqa: PTH208

from __future__ import annotations

import os
import select

from .mounts import PRIVATE

TYPE_CHECKING = False  # typing takes as long to import as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable

POLL_MS = 100
ROUNDS, ROUND_MS = 100, 2
SIGKILL = 9


def until_end(child: int, watched: list[int], crowded: Callable[[], bool]) -> str:
    """Wait for a process to end, or for a reason to end it; return which.

    The reasons are that one of `watched` becomes readable, or that there are too many processes.
    """
    poll = select.poll()
    ended = os.pidfd_open(child)
    for descriptor in [*watched, ended]:
        poll.register(descriptor, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll(POLL_MS)]
        if crowded():
            return "processes"
        if ended in ready:
            return "exited"
        if ready:
            return "stopped"


def refused(events: int | None) -> bool:
    """Say whether the control group, which counts them there, has refused a process."""
    return events is not None and not os.pread(events, 64, 0).startswith(b"max 0\n")


def running() -> list[int]:
    """Return the processes of this namespace and those below it."""
    return [int(name) for name in os.listdir(f"{PRIVATE}/proc") if name.isdigit()]


def end_all(child: int, told: bytes, *, at_once: bool) -> None:
    """End every other process of the namespace and wait until each is gone.

    `told` is what bubblewrap has said of itself. The processor time of a process counts only if
    its parent waits for it; bubblewrap's process 1 does so for orphans, so it goes last. Those
    that fork faster than they can be ended one by one must all go `at_once`, or they fill the
    table of processes meanwhile.
    """
    for _ in range(0 if at_once else ROUNDS):
        left = others(child, told)
        if not left:
            break
        for process in left:
            end(process)
        select.poll().poll(ROUND_MS)
    end_rest()


def end_rest() -> None:
    """End every other process of the namespace at once, and wait until each is gone."""
    end(-1)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def others(child: int, told: bytes) -> list[int]:
    """Return the processes but this one, bubblewrap, and bubblewrap's process 1."""
    own = {os.getpid(), child, reaper(told)}
    return [process for process in running() if process not in own]


def reaper(told: bytes) -> int:
    """Return bubblewrap's process 1, or -1 if it has not come to that."""
    _, found, rest = told.partition(b'"child-pid": ')
    digits = rest.split(b",")[0].split(b"}")[0].strip()
    return int(digits) if found else -1


def end(process: int) -> None:
    """Kill a process, or all with -1."""
    try:  # noqa: SIM105 -- contextlib takes long to import, too
        os.kill(process, SIGKILL)
    except ProcessLookupError:
        pass
