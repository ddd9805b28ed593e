"""`--sandbox account`: for root of a container that is there for nothing else.

Containers seldom allow the namespaces that bubblewrap needs. What they do have is users: a command
runs as one that owns nothing but its tree, and root, which grades, keeps its files to itself.
"""

import contextlib
import errno
import os
import pwd
import resource
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from featuredel.errors import ChangesError, SandboxError
from featuredel.sandbox import HOME, SCRATCH, WORKSPACE, Command, ExecResult, Ground, Mount, root
from featuredel.sandbox.launch import launch, rlimits
from featuredel.sandbox.launcher import trees
from featuredel.sandbox.launcher.as_user import running
from featuredel.sandbox.seen import of_machine
from featuredel.scratch import alone

MARK = Path("/.featuredel-account")
"""Says that the file system may be used so: /workspace and paths of mounts are made and removed."""

NAME = "solver"
SHARED = (*SCRATCH, "/var/tmp", "/run/lock", "/dev/mqueue")  # noqa: S108
"""Where the user may write besides the tree. All of it is removed after each command."""

SPARE_PROCESSES = 4096
"""The kernel's own bound counts processes of that number in other containers as well."""

_LOCK = Path("/run/featuredel-account.lock")


class Account:
    """Runs commands as the user `solver`, one at a time, in this container's own /workspace.

    Not of the profile: the network and the root are the container's, system calls are not
    filtered, `hidden` directories are seen. A limit on processes ends a command a moment late, and
    scratch space has none. What root can read only, the command cannot: keep it so.
    """

    name = "account"

    def __init__(self) -> None:
        """Raise `SandboxError` where this is no such container, or the user may write elsewhere."""
        if os.geteuid() != 0 or not MARK.exists():
            raise SandboxError(f"it is for root of a container of its own, which has {MARK}")
        try:
            self._user = pwd.getpwnam(NAME).pw_uid
        except KeyError:
            raise SandboxError(f"there is no user {NAME}: useradd {NAME}") from None
        if Path(WORKSPACE).exists():
            raise SandboxError(f"{WORKSPACE} is in use; move it away")
        if found := _writable(self._user):
            raise SandboxError(f"{NAME} may write to {found}, where one command could tell another")
        self._laid: dict[str, Path] = {}

    def run(self, command: Command) -> ExecResult:
        """Run `command` to its end; see `Sandbox.run`."""
        with alone(_LOCK), self._laid_out(command):
            spec = {
                "argv": list(command.argv),
                "directory": WORKSPACE,
                "limits": [*rlimits(command.limits), *_bounds(command)],
                "processes": command.limits.processes,
                "user": self._user,
                "variables": {**root.VARIABLES, **command.variables},
            }
            ending = launch("as_user", command, spec)
            self._keep(command)
        ended: Literal["exited", "processes"]
        ended = "processes" if ending.status["ended"] == "processes" else "exited"
        return ending.result(ended, ending.status["code"])

    def seen(self, command: Command) -> contextlib.nullcontext[tuple[Ground, ...]]:
        """Give what bubblewrap would show; a command sees the whole container."""
        return contextlib.nullcontext(of_machine(command))

    def open(self, command: Command) -> None:
        """Return None: there is one /workspace, and a command that stays would keep it."""

    @contextlib.contextmanager
    def _laid_out(self, command: Command) -> Iterator[None]:
        """Make what the command sees, and see to it that nothing of it is left."""
        self._clear(command)
        try:
            tree = Path(WORKSPACE)
            for path in (tree, Path(HOME)):
                path.mkdir(parents=True)
            for layer in reversed(command.layers):
                trees.copy(str(layer), str(tree))
            for path in (tree, Path(HOME)):
                _give(path, self._user)
            for place in trees.shut(list(command.sealed), WORKSPACE):
                os.chown(place, 0, 0)
            for mount in command.mounts:
                self._lay(mount)
            yield
        finally:
            self._clear(command)

    def _lay(self, mount: Mount) -> None:
        """Copy what a mount shows to where it is shown, unless that is the same place."""
        target = Path(mount.target)
        if mount.source == target or self._laid.get(mount.target) == mount.source:
            return
        trees.clear(mount.target)
        target.parent.mkdir(parents=True, exist_ok=True)
        if mount.source.is_dir():
            target.mkdir()
            trees.copy(str(mount.source), mount.target)
        else:
            shutil.copy2(mount.source, target)
        _give(target, self._user if mount.writable else 0)
        if mount.lasting:
            self._laid[mount.target] = mount.source

    def _keep(self, command: Command) -> None:
        """Bring back what changed in the tree and in writable mounts."""
        allowed = 2 * command.limits.scratch_bytes
        allowed += sum(trees.size_bytes(str(layer)) for layer in command.layers)
        kept = {mount.target: str(mount.source) for mount in command.mounts if mount.writable}
        if command.keep_changes:
            kept[WORKSPACE] = str(command.keep_changes)
        if not trees.can_be_copied(list(kept), allowed):  # files with holes are vast in a copy
            raise ChangesError(f"cannot keep the changes: {os.strerror(errno.EFBIG)}")
        for target, place in kept.items():
            below = [str(layer) for layer in command.layers] if target == WORKSPACE else []
            trees.copy_changes(target, below, place)

    def _clear(self, command: Command) -> None:
        """End and remove what the user has left, and what was laid out for this command alone."""
        while running(self._user):  # if a launcher was killed
            _as(self._user, "/bin/sh", "-c", "kill -9 -1")
        passing = (mount for mount in command.mounts if not mount.lasting)
        gone = [WORKSPACE, HOME, *(m.target for m in passing if Path(m.target) != m.source)]
        for path in gone:
            self._laid.pop(path, None)
        for place in SHARED:
            with contextlib.suppress(FileNotFoundError):
                gone += [
                    entry.path
                    for entry in os.scandir(place)
                    if entry.stat(follow_symlinks=False).st_uid == self._user
                ]
        _remove(gone)
        _remove_ipc(self._user)


def _bounds(command: Command) -> list[tuple[int, int, int]]:
    processes = command.limits.processes + SPARE_PROCESSES
    # queues have no place where they could be found again
    return [(resource.RLIMIT_NPROC, processes, processes), (resource.RLIMIT_MSGQUEUE, 0, 0)]


def _give(path: Path, user: int) -> None:
    """Make a file or a directory with all in it a user's, readable and never more than that."""
    os.chown(path, user, user, follow_symlinks=False)
    if path.is_symlink():
        return
    path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o755 | (0o555 if path.is_dir() else 0o444))
    if path.is_dir():
        for child in path.iterdir():
            _give(child, user)


def _remove(paths: list[str]) -> None:
    """Remove what is at some paths, however many they are and however deep the trees at them."""
    done = subprocess.run(
        ["xargs", "-0", "rm", "-rf", "--"],
        input=b"\0".join(map(os.fsencode, paths)), capture_output=True, cwd="/", check=False,
    )  # fmt: skip
    if done.returncode:
        raise SandboxError(f"cannot remove what was left: {done.stderr.decode()[-500:]}")


def _writable(user: int) -> str:
    """Return a place where a user may write that is not one of those that are cleared, or ""."""
    mounted = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    shown = [path for path in mounted if not path.startswith(("/proc", "/sys"))]
    skipped = [
        word for path in (*SHARED, "/proc", "/sys") for word in ("-path", path, "-prune", "-o")
    ]
    found = _as(
        user,
        *("find", *dict.fromkeys(["/", *shown]), "-xdev", *skipped),
        *("-writable", "(", "-type", "d", "-o", "-type", "f", ")", "-print", "-quit"),
    )
    return found.partition("\n")[0]


def _remove_ipc(user: int) -> None:
    """Remove a user's shared memory, semaphores and queues of the old kind."""
    tables = [path for path in Path("/proc/sysvipc").glob("*") if path.is_file()]
    if any(len(table.read_text().splitlines()) > 1 for table in tables):
        _as(user, "ipcrm", "--all")  # root of a container may not remove what is another's


def _as(user: int, *argv: str) -> str:
    """Run a program of the container as a user and return what it prints."""
    run = subprocess.run(
        argv, user=user, group=user, extra_groups=[], cwd="/",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return run.stdout
