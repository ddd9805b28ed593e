"""The outer process of a command that runs as another user of a container, started by root."""

# pathlib takes longer to import than all of this
# ruff: noqa: PTH208

from __future__ import annotations

import ctypes
import marshal
import os
import resource

from . import become, mounts, watch
from .start import read_spec, reported

TYPE_CHECKING = False  # typing takes as long to import as all the rest
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Spec = dict[str, Any]

PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
NOT_FOUND = 127
SIGKILL = 9


def main() -> None:
    """Carry out the specification that is in the file descriptor of the first argument."""
    spec, watched = read_spec()
    reported(spec, lambda: run(spec, watched))


def run(spec: Spec, watched: list[int]) -> None:
    """Run the command, end every process of its user, and write how it ended to the status pipe."""
    libc = ctypes.CDLL(None, use_errno=True)
    # whose parents have ended become children of this process: their time counts, too
    mounts.checked("adopt orphans", libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    child = os.fork()
    if child == 0:
        execute(spec, libc)
    ended = watch.until_end(child, watched, lambda: len(running(spec["user"])) >= spec["processes"])
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if ended == "exited" else None
    left = len(running(spec["user"])) if ended == "exited" else 0
    end_all(spec["user"])
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = {
        "ended": ended, "code": code, "cpu_s": usage.ru_utime + usage.ru_stime, "left": left,
    }  # fmt: skip
    os.write(spec["status"], marshal.dumps(result))


def running(user: int) -> list[int]:
    """Return the processes of a user that have not ended."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                state = file.read().rpartition(b")")[2].split()[0]
            if os.stat(f"/proc/{name}").st_uid == user and state != b"Z":  # noqa: PTH116
                found.append(int(name))
        except OSError:  # it is gone
            continue
    return found


def end_all(user: int) -> None:
    """End every process of a user, and wait until each is gone."""
    while running(user):
        child = os.fork()
        if child == 0:
            try:
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                # the kernel lets none fork meanwhile; this process is not among those it ends
                os.kill(-1, SIGKILL)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass


def execute(spec: Spec, libc: ctypes.CDLL) -> NoReturn:
    """Become the command."""
    try:
        os.setsid()
        become.prepare(spec["report"], spec["limits"])
        os.umask(0o022)
        os.setgroups([])
        os.setresgid(spec["user"], spec["user"], spec["user"])
        os.setresuid(spec["user"], spec["user"], spec["user"])
        # after that: a change of user would undo it
        mounts.die_with_parent()
        mounts.checked("give up privileges", libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        os.chdir(spec["directory"])
        os.execvpe(spec["argv"][0], spec["argv"], spec["variables"])  # noqa: S606 -- a list
    except (OSError, mounts.SetupError) as error:
        os.write(2, f"{error}\n".encode())
    os._exit(NOT_FOUND)
