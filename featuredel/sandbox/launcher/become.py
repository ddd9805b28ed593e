"""The last steps before a process becomes the command or what runs it."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the public module builds enums at import
import fcntl
import os
import resource

from .mounts import write

USER = 1000
REPORT_FD = 3
FREE_FD = 10  # above those that the command knows
SIGPIPE, SIGXFSZ = 13, 25


def keep(descriptor: int) -> int:
    """Return a copy of a descriptor that outlives the change of program, out of the way."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, FREE_FD)


def nobody_else() -> None:
    """Be the user for good, if this process has been root."""
    if os.getuid() != USER:
        os.seteuid(0)
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)


def prepare(report: int, limits: list[tuple[int, int, int]]) -> None:
    """Put the report in its place, and set the limits and signals."""
    copy = keep(report)
    os.dup2(copy, REPORT_FD)
    os.close(copy)
    for number in (SIGPIPE, SIGXFSZ):  # Python ignores them, and that would be inherited
        _signal.signal(number, _signal.SIG_DFL)
    write("/proc/self/oom_score_adj", "1000")  # sooner this than anything else here
    for name, soft, hard in limits:
        resource.setrlimit(name, (soft, hard))
