"""Waiting for processes, ending them, and what they used."""

import contextlib
import os
import resource
import signal
import time
from typing import List, Optional


def waited(child: int, deadline: float) -> Optional[int]:
    """Wait for a child and return its status, or None if it did not end in time."""
    pause_s = 0.001
    while time.monotonic() < deadline:
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            return status
        time.sleep(pause_s)
        pause_s = min(0.02, pause_s * 1.2)
    return None


def end_all(leader: int) -> None:
    """End a child, its group, and every process that any of them left; wait for each."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        left = children()
        if not left:
            return
        for process in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.001)


def children() -> List[int]:
    """Return this process's children. Orphans become that: it is their reaper."""
    return [
        process
        for process in map(int, filter(str.isdigit, os.listdir("/proc")))
        if parent(process) == os.getpid()
    ]


def parent(process: int) -> int:
    """Return a process's parent, or 0 where it is gone."""
    try:
        with open("/proc/%d/stat" % process, errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def cpu_s() -> float:
    """Return the processor time of this process and of all that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
