"""The outer process of a sandbox: it lives outside of it, and as long as it."""

# pathlib takes longer to import than all of this
# ruff: noqa: PTH123

from __future__ import annotations

import marshal
import os
import sys

from . import first, mounts

TYPE_CHECKING = False  # typing takes as long to import as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Spec = dict[str, Any]


def main() -> None:
    """Carry out the specification that is in the file descriptor of the first argument."""
    spec, watched = read_spec()
    reported(spec, lambda: launch(spec, watched))


def read_spec() -> tuple[Spec, list[int]]:
    """Return the specification, and what becomes readable when it is time to end."""
    with open(int(sys.argv[1]), "rb") as file:
        spec: Spec = marshal.load(file)  # noqa: S302 -- written by the caller
    for name in ("control", "report", "status"):
        os.set_inheritable(spec[name], False)
    # the pipe closes when the caller is done; the process is gone when it was killed
    watched = [spec["control"], os.pidfd_open(spec["parent"])]
    if os.getppid() != spec["parent"]:
        os._exit(0)
    return spec, watched


def launch(spec: Spec, watched: list[int]) -> None:
    """Run the sandbox in new namespaces, wait for its end, and remove its control group."""
    directory, group = os.path.split(spec["group"] or "")
    descriptor = os.open(directory, os.O_PATH | os.O_DIRECTORY) if group else -1
    join = os.open(f"{group}/cgroup.procs", os.O_WRONLY, dir_fd=descriptor) if group else -1
    events = os.open(f"{group}/pids.events", os.O_RDONLY, dir_fd=descriptor) if group else None
    mounts.enter_namespaces()
    child = os.fork()
    if child == 0:
        try:
            if group:
                os.write(join, b"0")
            reported(spec, lambda: first.run(spec, watched, events))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    if group:
        os.rmdir(group, dir_fd=descriptor)


def reported(spec: Spec, work: Callable[[], None]) -> None:
    """Do `work`; if it fails, say so on the status pipe."""
    try:
        work()
    except mounts.SetupError as error:
        failure = {"failed": error.step, "error": error.error}
    except OSError as error:
        failure = {"failed": f"use {error.filename or 'the system'}", "error": error.errno or 0}
    else:
        return
    os.write(spec["status"], marshal.dumps(failure))
