"""The first process of a sandbox: a script on its own, never imported, that needs the standard library only.

It makes private user, mount and process namespaces, lays the overlay over the tree, and starts
bubblewrap on it. Two processes do this: the outer one waits, the inner one is process 1 of the
namespace, so that when it ends the kernel ends all the others. It ends when the command does,
when its control pipe closes, or when the process that asked for it is gone.

Modules that cost milliseconds to import (json, signal, subprocess, shutil) are avoided: this
start is paid by every run.
"""

import _signal as signal  # the public module builds enums at import
import ctypes
import marshal
import os
import resource
import select
import stat
import sys
from typing import Any, NoReturn

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID = 0x00020000, 0x10000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x8, 0x4000, 0x40000
PR_SET_PDEATHSIG = 1
POLL_MS = 100
BLOCK = 1 << 20

PRIVATE = "/sys"
"""Where the private file systems are mounted: every machine has it, and nobody's trees lie in it."""

Spec = dict[str, Any]


class SetupError(Exception):
    """A step of the set-up that the kernel refused: its name and the error number."""

    def __init__(self, step: str, error: int) -> None:
        super().__init__(step, error)
        self.step = step
        self.error = error


libc = ctypes.CDLL(None, use_errno=True)


def checked(step: str, result: int) -> None:
    """Raise `SetupError` where a C call says that it failed."""
    if result != 0:
        raise SetupError(step, ctypes.get_errno())


def mount(kind: str, target: str, flags: int, options: str = "") -> None:
    """Mount a new file system of this kind on a new directory."""
    os.makedirs(target, exist_ok=True)
    result = libc.mount(
        kind.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()
    )
    checked(f"mount {kind}", result)


def scratch(target: str, size_bytes: int) -> None:
    """Mount an empty file system in memory that holds at most so many bytes and files."""
    # without a bound on files, empty ones would use memory that `size` does not count
    options = f"size={size_bytes},nr_inodes={max(size_bytes // 4096, 1024)},mode=755"
    mount("tmpfs", target, MS_NOSUID | MS_NODEV, options)


def write(path: str, text: str) -> None:
    """Write a small file of the kernel or of the private root."""
    with open(path, "w") as file:  # noqa: PTH123 -- pathlib is slow to import
        file.write(text)


def enter_namespaces() -> None:
    """Become root of a new user namespace that knows only the user who runs this."""
    uid, gid = os.geteuid(), os.getegid()
    checked("unshare", libc.unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID))
    try:
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", f"0 {uid} 1")
        write("/proc/self/gid_map", f"0 {gid} 1")
    except OSError as error:
        raise SetupError("map the user", error.errno or 0) from None


def lay_overlay(layers: list[int], size_bytes: int) -> None:
    """Show the layers, given as open directories, at PRIVATE/workspace with changes in memory."""
    scratch(f"{PRIVATE}/changes", size_bytes)
    upper, work = f"{PRIVATE}/changes/upper", f"{PRIVATE}/changes/work"
    os.mkdir(upper, 0o755)
    os.mkdir(work, 0o755)
    os.setxattr(upper, "user.overlay.probe", b"")  # without these a directory cannot be replaced
    os.removexattr(upper, "user.overlay.probe")
    # by descriptor: a path may hold the commas and colons that separate options
    lower = ":".join(f"/proc/self/fd/{layer}" for layer in layers)
    options = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
    mount("overlay", f"{PRIVATE}/workspace", MS_NOSUID | MS_NODEV, options)


def copy_file(source: str, target: str) -> None:
    """Copy a regular file with its mode and times."""
    status = os.lstat(source)
    reader = os.open(source, os.O_RDONLY | os.O_NOFOLLOW)
    writer = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        while os.sendfile(writer, reader, None, BLOCK):  # type: ignore[arg-type]
            pass
        os.fchmod(writer, stat.S_IMODE(status.st_mode) & 0o777)
        os.utime(writer, ns=(status.st_atime_ns, status.st_mtime_ns))
    finally:
        os.close(reader)
        os.close(writer)


def copy_tree(source: str, target: str) -> None:
    """Copy directories, files and symbolic links; leave out all else (whiteouts, sockets, pipes)."""
    os.makedirs(target, exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            path = f"{target}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                replace(path, directory=True)
                copy_tree(entry.path, path)
                os.chmod(path, stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode) & 0o777)
            elif entry.is_symlink():
                replace(path)
                os.symlink(os.readlink(entry.path), path)
            elif entry.is_file(follow_symlinks=False):
                replace(path)
                copy_file(entry.path, path)


def replace(path: str, directory: bool = False) -> None:
    """Remove what a lower layer left at `path`, unless both are directories."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        os.unlink(path)
    elif not directory:
        import shutil  # seldom needed, slow to import

        shutil.rmtree(path)


def lay_copy(layers: list[int], size_bytes: int) -> None:
    """Copy the layers to PRIVATE/workspace, for kernels that refuse the overlay."""
    scratch(f"{PRIVATE}/workspace", size_bytes)
    for layer in reversed(layers):
        copy_tree(f"/proc/self/fd/{layer}/.", f"{PRIVATE}/workspace")


def build(spec: Spec) -> bool:
    """Make all private file systems; return whether the overlay was accepted."""
    checked(
        "private mounts", libc.mount(b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None)
    )
    layers = [os.open(layer, os.O_PATH | os.O_DIRECTORY) for layer in spec["layers"]]
    mount("tmpfs", PRIVATE, MS_NOSUID | MS_NODEV, "size=16m,mode=755")
    mount("proc", f"{PRIVATE}/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    # bubblewrap makes two, and the command in it none
    write(f"{PRIVATE}/proc/sys/user/max_user_namespaces", "2")
    for name in spec["scratch"]:
        scratch(f"{PRIVATE}/{name}", spec["scratch_bytes"])
    os.chmod(f"{PRIVATE}/tmp", 0o1777)
    os.mkdir(f"{PRIVATE}/etc")
    for name, text in spec["etc"].items():
        write(f"{PRIVATE}/etc/{name}", text)
    if spec["overlay"]:
        try:
            lay_overlay(layers, spec["scratch_bytes"])
            return True
        except (SetupError, OSError):
            pass
    lay_copy(layers, spec["scratch_bytes"] + spec["copy_bytes"])
    return False


def execute(spec: Spec, status: int) -> NoReturn:
    """Become bubblewrap, with the limits set and no descriptor but those of the command."""
    import fcntl

    keep = fcntl.fcntl(status, fcntl.F_DUPFD, 64)
    os.dup2(spec["report"], 3)
    os.set_inheritable(3, True)
    os.closerange(4, 64)
    os.closerange(65, 256)
    for name in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and that is inherited
        signal.signal(name, signal.SIG_DFL)
    for name, soft, hard in spec["limits"]:
        resource.setrlimit(name, (soft, hard))
    argv = [str(keep) if word == "{status}" else word for word in spec["argv"]]
    os.execve(argv[0], argv, {})


def supervise(spec: Spec, child: int, watched: list[int], events: int | None) -> str:
    """Wait for the command to end, or for a reason to end it; return which."""
    poll = select.poll()
    ended = os.pidfd_open(child)
    for descriptor in [*watched, ended]:
        poll.register(descriptor, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll(POLL_MS)]
        if crowded(spec, events):
            return "processes"
        if ended in ready:
            return "exited"
        if ready:
            return "killed"


def crowded(spec: Spec, events: int | None) -> bool:
    """Say whether the sandbox has reached its number of processes."""
    if events is not None and not os.pread(events, 64, 0).startswith(b"max 0"):
        return True
    found = sum(name.isdigit() for name in os.listdir(f"{PRIVATE}/proc"))
    return found >= spec["processes"]


def reap() -> None:
    """End every process of the namespace but this, and wait until each is gone."""
    try:
        os.kill(-1, signal.SIGKILL)
        while True:
            os.wait()
    except (ChildProcessError, ProcessLookupError):
        pass


def first_process(spec: Spec, watched: list[int], cgroup: tuple[int, int] | None) -> None:
    """Build the sandbox, run the command in it, and write how it ended to the status pipe."""
    checked("prctl", libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    events = None
    if cgroup is not None:
        os.write(cgroup[0], b"0")
        events = cgroup[1]
    overlay = build(spec)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        execute(spec, writer)
    os.close(writer)
    ended = supervise(spec, child, watched, events)
    reap_status = None
    if ended == "exited":
        _, reap_status = os.waitpid(child, 0)
    reap()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = {
        "ended": ended,
        "code": None if reap_status is None else os.waitstatus_to_exitcode(reap_status),
        "started": b"exit-code" in os.read(reader, 4096),
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "overlay": overlay,
    }
    if spec["keep"]:
        copy_tree(f"{PRIVATE}/changes/upper" if overlay else f"{PRIVATE}/workspace", spec["keep"])
    os.write(spec["status"], marshal.dumps(result))


def main() -> None:
    """Read the specification from the descriptor that the first argument names, and carry it out."""
    with open(int(sys.argv[1]), "rb") as file:  # noqa: PTH123
        spec: Spec = marshal.load(file)  # noqa: S302 -- written by the process that started this one
    watched = [spec["control"], os.pidfd_open(spec["parent"])]
    if os.getppid() != spec["parent"]:
        return
    try:
        cgroup = None
        if spec["cgroup"]:
            cgroup = (
                os.open(f"{spec['cgroup']}/cgroup.procs", os.O_WRONLY),
                os.open(f"{spec['cgroup']}/pids.events", os.O_RDONLY),
            )
        enter_namespaces()
        child = os.fork()
        if child == 0:
            guarded(spec, watched, cgroup)
        os.waitpid(child, 0)
    except SetupError as error:
        fail(spec, error.step, error.error)
    except OSError as error:
        fail(spec, str(error), error.errno or 0)


def guarded(spec: Spec, watched: list[int], cgroup: tuple[int, int] | None) -> NoReturn:
    """Run the first process and never return into the code of the outer one."""
    try:
        first_process(spec, watched, cgroup)
    except SetupError as error:
        fail(spec, error.step, error.error)
    except OSError as error:
        fail(spec, str(error), error.errno or 0)
    finally:
        os._exit(0)


def fail(spec: Spec, step: str, error: int) -> None:
    """Report a set-up that could not be done."""
    os.write(spec["status"], marshal.dumps({"failed": step, "errno": error}))


main()
