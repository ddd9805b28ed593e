"""What a fork has for itself: the tree, scratch space, and no power."""

import contextlib
import ctypes
import os
import shutil
import time
from typing import Any, Dict, List, Optional

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x4000, 0x40000
PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
CAPABILITY_VERSION_3 = 0x20080522

PATIENCE_S = 5.0
"""The kernel takes a moment to let go of the last fork's namespace, and there may be one only."""

_libc = ctypes.CDLL(None, use_errno=True)


_state = {"overlaid": False}


def overlaid() -> bool:
    """Tell whether what this process writes to its tree can be told from the tree."""
    return _state["overlaid"]


def guard() -> None:
    """Let no fork look into this process, and make it the parent of what forks leave behind."""
    _checked("hide", _libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
    adopt()


def adopt() -> None:
    """Become the parent of what this process's children leave behind."""
    _checked("adopt orphans", _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


def show_tree(layers: List[str], workspace: str, trees: str, scratch: Dict[str, int]) -> None:
    """Show `layers` at `workspace` with private changes, and empty directories for `scratch`.

    `scratch` are sizes in bytes by directory; `trees`, where all trees lie, is hidden. Where the
    kernel gives no overlay, the workspace is filled with a copy, and the rest stays as it is.
    """
    _checked("be seen", _libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
    try:
        _lay_overlay(layers, workspace, trees, scratch)
        _state["overlaid"] = True
    except OSError:
        _lay_copy(layers, workspace)
    os.chdir(workspace)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    _checked("drop capabilities", _libc.capset(header, (ctypes.c_uint32 * 6)()))


def _lay_overlay(layers: List[str], workspace: str, trees: str, scratch: Dict[str, int]) -> None:
    _enter_namespaces()
    opened = [os.open(layer, os.O_PATH | os.O_DIRECTORY) for layer in layers]
    for target, size in {trees: max(scratch.values()), **scratch}.items():
        options = "size=%d,nr_inodes=%d,mode=755" % (size, size // 4096)
        _mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, options)
    changes, work = trees + "/changes", trees + "/work"
    os.mkdir(changes, 0o755)
    os.mkdir(work, 0o755)
    lower = ":".join("/proc/self/fd/%d" % layer for layer in opened)
    options = "lowerdir=%s,upperdir=%s,workdir=%s,userxattr" % (lower, changes, work)
    _mount("overlay", workspace, "overlay", MS_NOSUID | MS_NODEV, options)
    for layer in opened:
        os.close(layer)


def _enter_namespaces() -> None:
    uid, gid = os.getuid(), os.getgid()
    deadline = time.monotonic() + PATIENCE_S
    while _libc.unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0:
        if time.monotonic() > deadline:
            raise OSError(ctypes.get_errno(), "cannot make a namespace")
        time.sleep(0.0005)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", "%d %d 1" % (uid, uid))
    _write("/proc/self/gid_map", "%d %d 1" % (gid, gid))
    _mount("none", "/", None, MS_REC | MS_PRIVATE)


def _lay_copy(layers: List[str], workspace: str) -> None:
    for name in os.listdir(workspace):
        path = os.path.join(workspace, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    for layer in reversed(layers):
        shutil.copytree(layer, workspace, symlinks=True, dirs_exist_ok=True)


def replace(path: str, content: Optional[bytes]) -> None:
    """Write a file of the tree, in place of what is there; None takes that away."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    if content is None:
        return
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def _mount(source: str, target: str, kind: Optional[str], flags: int, options: str = "") -> None:
    words: List[Any] = [source.encode(), target.encode(), kind.encode() if kind else None]
    result = _libc.mount(*words, ctypes.c_ulong(flags), options.encode())
    _checked("mount " + target, result)


def _checked(step: str, result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), "cannot " + step)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
