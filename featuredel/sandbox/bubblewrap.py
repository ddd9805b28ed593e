"""The back-end that needs no daemon and no privilege: bubblewrap on an overlay in memory."""

import contextlib
import errno
import resource
import shutil
from pathlib import Path
from typing import Any

from featuredel.errors import SandboxError
from featuredel.sandbox import Command, ExecResult, Ground, Session, cgroup, root
from featuredel.sandbox.launch import Ending, LaunchError, launch, rlimits
from featuredel.sandbox.seen import of_machine
from featuredel.sandbox.session import launched_session

OWN_PROCESSES = 4  # the launcher's and bubblewrap's, which count with those of the command
NOT_FOUND = 127  # as a shell says it
SIGNALS = range(129, 129 + 64)  # bubblewrap says 128 + n where signal n ended the command
SYSTEM_SWITCHES = Path("/proc/sys")
INSTALL = "bubblewrap is not installed: apt-get install bubblewrap"


class Bubblewrap:
    """Runs commands in bubblewrap, as root or as an ordinary user.

    Layers and mounts should belong to the user who runs this: files of others are seen as
    nobody's and cannot be changed. `keep_changes` receives files that are new or changed;
    what was deleted leaves no trace there. A command that cannot be found exits with 127, and
    one that exits with 128 + n counts as ended by signal n, as shells have it.
    """

    name = "bubblewrap"

    def __init__(self, *, overlay: bool = True) -> None:
        """Without `overlay`, trees are copied for each run, as on kernels that refuse it."""
        self.overlay = overlay
        cgroup.sweep()

    def run(self, command: Command) -> ExecResult:
        """Run `command` to its end; see `Sandbox.run`."""
        with cgroup.limited(command.limits.processes + OWN_PROCESSES) as group:
            try:
                ending = launch("start", command, specification(command, self.overlay, group))
            except LaunchError as error:
                raise SandboxError(f"{error}{remedy(error)}") from None
        return interpret(ending)

    def seen(self, command: Command) -> contextlib.nullcontext[tuple[Ground, ...]]:
        """Give what `command` sees of this machine; see `Sandbox.seen`."""
        return contextlib.nullcontext(of_machine(command))

    def open(self, command: Command) -> Session:
        """Start a command that answers questions; see `Sandbox.open`."""
        with contextlib.ExitStack() as stack:
            group = stack.enter_context(cgroup.limited(command.limits.processes + OWN_PROCESSES))
            spec = specification(command, self.overlay, group)
            return launched_session("start", command, spec, stack.pop_all().close)


def specification(command: Command, overlay: bool, group: Path | None) -> dict[str, Any]:
    """Return what the launcher needs to know, in types that `marshal` can carry."""
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxError(INSTALL)
    processes = command.limits.processes + OWN_PROCESSES
    ceiling = processes + OWN_PROCESSES
    return {
        "argv": list(command.argv),
        "etc": root.etc(command.network),
        "group": str(group) if group else None,
        "keep": str(command.keep_changes) if command.keep_changes else None,
        "layers": [str(layer) for layer in command.layers],
        # a little more than what the launcher looks out for, so that it sees it reached
        "nesting": command.nesting,
        "limits": [*rlimits(command.limits), (resource.RLIMIT_NPROC, ceiling, ceiling)],
        "options": root.arguments(command),
        "overlay": overlay,
        "processes": processes,
        "program": program,
        "scratch": root.SCRATCH,
        "scratch_bytes": command.limits.scratch_bytes,
    }


def interpret(ending: Ending) -> ExecResult:
    """Return the command's result, or raise `SandboxError` if it was never run."""
    status = ending.status
    if status["ended"] == "processes":
        return ending.result("processes", None)
    code = status["code"]
    if status["ended"] == "exited" and not status["started"]:
        tail = ending.stderr[-2000:].decode(errors="replace").strip()
        if not tail.startswith("bwrap: execvp "):
            raise SandboxError(f"bubblewrap could not start the command: {tail}")
        code = NOT_FOUND
    return ending.result("exited", 128 - code if code in SIGNALS else code)


def remedy(error: LaunchError) -> str:
    """Return what an administrator can do where the kernel forbids user namespaces."""
    if error.error not in (errno.EPERM, errno.EACCES, errno.ENOSPC, errno.EUSERS):
        return ""
    switches = (
        ("kernel/unprivileged_userns_clone", "0", "1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
        ("user/max_user_namespaces", "0", "15000"),
    )
    for path, forbids, allows in switches:
        file = SYSTEM_SWITCHES / path
        if file.exists() and file.read_text().strip() == forbids:
            return (
                f"; user namespaces are forbidden here: sysctl -w {path.replace('/', '.')}={allows}"
            )
    return "; in a container, it must be allowed to make user namespaces and to mount /proc"
