"""The outer process of a command that runs without a sandbox."""

from __future__ import annotations

import marshal
import os
import resource
import select

from . import become, mounts
from .start import read_spec, reported

TYPE_CHECKING = False  # typing takes as long to import as all the rest
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Spec = dict[str, Any]

NOT_FOUND = 127
SIGKILL = 9


def main() -> None:
    """Carry out the specification that is in the file descriptor of the first argument."""
    spec, watched = read_spec()
    reported(spec, lambda: run(spec, watched))


def run(spec: Spec, watched: list[int]) -> None:
    """Run the command in a session of its own and write how it ended to the status pipe."""
    child = os.fork()
    if child == 0:
        execute(spec)
    poll = select.poll()
    for descriptor in [*watched, os.pidfd_open(child)]:
        poll.register(descriptor, select.POLLIN)
    poll.poll()
    # the leader has not been waited for, so that the group's name is still its own
    end_group(child)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = {"code": code, "cpu_s": usage.ru_utime + usage.ru_stime}
    os.write(spec["status"], marshal.dumps(result))


def end_group(leader: int) -> None:
    """End a process and all of its group, if it has made one yet."""
    try:
        os.killpg(leader, SIGKILL)
    except ProcessLookupError:
        os.kill(leader, SIGKILL)


def execute(spec: Spec) -> NoReturn:
    """Become the command."""
    try:
        os.setsid()
        mounts.die_with_parent()
        become.prepare(spec["report"], spec["limits"])
        os.chdir(spec["directory"])
        os.execvpe(spec["argv"][0], spec["argv"], spec["variables"])  # noqa: S606 -- a list
    except OSError as error:
        os.write(2, f"{error}\n".encode())
    os._exit(NOT_FOUND)
