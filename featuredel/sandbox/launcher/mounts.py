"""The private namespaces and file systems of a sandbox."""

# pathlib takes longer to import than all of this
# ruff: noqa: PTH102, PTH103, PTH123

import ctypes
import os

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID = 0x00020000, 0x10000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x8, 0x4000, 0x40000
PR_SET_PDEATHSIG, SIGKILL = 1, 9

PRIVATE = "/sys"
"""Where all is mounted: every machine has this directory, and nobody's trees are in it."""

INNER_USER_NAMESPACES = 2
"""Bubblewrap makes two inside the launcher's; that leaves none for the command to make."""

_libc = ctypes.CDLL(None, use_errno=True)


class SetupError(Exception):
    """A step of the set-up that the kernel refused: its name and the error number."""

    def __init__(self, step: str, error: int) -> None:
        super().__init__(step, error)
        self.step = step
        self.error = error


def checked(step: str, result: int) -> None:
    """Raise `SetupError` where a C call says that it failed."""
    if result != 0:
        raise SetupError(step, ctypes.get_errno())


def die_with_parent() -> None:
    """Have the kernel end this process when the one that started it ends."""
    checked("follow the parent", _libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))


def enter_namespaces() -> None:
    """Become root of a new user namespace that holds only the user who runs this.

    Only children of this process are in the new process namespace.
    """
    uid, gid = os.geteuid(), os.getegid()
    flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID
    checked("make a user namespace", _libc.unshare(flags))
    try:
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", f"0 {uid} 1")
        write("/proc/self/gid_map", f"0 {gid} 1")
    except OSError as error:
        raise SetupError("make a user namespace", error.errno or 0) from None
    private = ctypes.c_ulong(MS_REC | MS_PRIVATE)
    checked("make mounts private", _libc.mount(b"none", b"/", None, private, None))


def mount(kind: str, target: str, flags: int, options: str = "") -> None:
    """Mount a new file system of this kind on a directory, which is made if need be."""
    os.makedirs(target, exist_ok=True)
    words = [word.encode() for word in (kind, target, kind, options)]
    result = _libc.mount(*words[:3], ctypes.c_ulong(flags), words[3])
    checked(f"mount {kind}", result)


def scratch(target: str, size_bytes: int) -> None:
    """Mount an empty file system in memory that holds at most so many bytes and pages' files."""
    # empty files are not counted in the size, but use memory all the same
    options = f"size={size_bytes},nr_inodes={max(size_bytes // 4096, 1024)},mode=755"
    mount("tmpfs", target, MS_NOSUID | MS_NODEV, options)


def lay_overlay(layers: list[str], size_bytes: int) -> str:
    """Show `layers` at PRIVATE/workspace, changes in memory; return where those are.

    The layers' paths must not hold the colons and commas that separate options.
    """
    scratch(f"{PRIVATE}/changes", size_bytes)
    upper, work = f"{PRIVATE}/changes/upper", f"{PRIVATE}/changes/work"
    os.mkdir(upper, 0o755)
    os.mkdir(work, 0o755)
    # without such attributes a directory cannot be replaced by another
    os.setxattr(upper, "user.overlay.probe", b"")
    os.removexattr(upper, "user.overlay.probe")
    options = f"lowerdir={':'.join(layers)},upperdir={upper},workdir={work},userxattr"
    mount("overlay", f"{PRIVATE}/workspace", MS_NOSUID | MS_NODEV, options)
    return upper


def write(path: str, text: str) -> None:
    """Write a small file."""
    with open(path, "w") as file:
        file.write(text)
