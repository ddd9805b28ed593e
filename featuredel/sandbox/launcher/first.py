"""Process 1 of a sandbox's namespace: when it ends, the kernel ends every other one."""

# pathlib takes longer to import than all of this
# ruff: noqa: PTH101, PTH102

from __future__ import annotations

import marshal
import os
import resource

from . import become, mounts, trees, watch
from .mounts import MS_NODEV, MS_NOEXEC, MS_NOSUID, PRIVATE

TYPE_CHECKING = False  # typing takes as long to import as all the rest
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Spec = dict[str, Any]


EFBIG = 27


def run(spec: Spec, watched: list[int], events: int | None) -> None:
    """Build the sandbox, run the command in it, and write how it ended to the status pipe.

    `watched` become readable when the command is to end; `events` counts refused processes.
    """
    mounts.die_with_parent()
    layers, changes = build(spec)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        execute(spec, writer)
    os.close(writer)
    ended = watch.until_end(
        child, watched,
        lambda: watch.refused(events) or len(watch.running()) >= spec["processes"],
    )  # fmt: skip
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if ended == "exited" else None
    os.set_blocking(reader, False)
    told = words(reader)
    left = watch.others(child, told) if ended == "exited" else []
    watch.end_all(child, told, at_once=ended == "processes")
    told += words(reader)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    if spec["keep"] and ended == "exited":
        keep(changes, layers, spec)
    result = {
        "ended": ended,
        "code": code,
        "started": b"exit-code" in told,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "left": len(left),
    }
    os.write(spec["status"], marshal.dumps(result))


def keep(changes: str, layers: list[str], spec: Spec) -> None:
    """Copy what changed to where the caller wants it."""
    allowed = 2 * spec["scratch_bytes"] + sum(map(trees.size_bytes, layers))
    # files with holes are small here and vast in a copy
    if not trees.can_be_copied([changes], allowed):
        raise mounts.SetupError("keep the changes", EFBIG)
    trees.copy_changes(changes, layers, spec["keep"])


def words(reader: int) -> bytes:
    """Return what bubblewrap has said of itself since the last time."""
    try:
        return os.read(reader, 4096)
    except BlockingIOError:
        return b""


def build(spec: Spec) -> tuple[list[str], str]:
    """Make all private file systems; return the layers and where changes to them can be found."""
    descriptors = [os.open(layer, os.O_PATH | os.O_DIRECTORY) for layer in spec["layers"]]
    layers = [f"/proc/self/fd/{descriptor}" for descriptor in descriptors]
    mounts.mount("tmpfs", PRIVATE, MS_NOSUID | MS_NODEV, "size=16m,mode=755")
    mounts.mount("proc", f"{PRIVATE}/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    limit = f"{PRIVATE}/proc/sys/user/max_user_namespaces"
    mounts.write(limit, str(mounts.INNER_USER_NAMESPACES + spec["nesting"]))
    for name, mode in spec["scratch"]:
        mounts.scratch(f"{PRIVATE}/{name}", spec["scratch_bytes"])
        os.chmod(f"{PRIVATE}/{name}", mode)
    os.mkdir(f"{PRIVATE}/etc")
    for name, text in spec["etc"].items():
        mounts.write(f"{PRIVATE}/etc/{name}", text)
    if spec["overlay"]:
        try:
            return layers, mounts.lay_overlay(layers, spec["scratch_bytes"])
        except (mounts.SetupError, OSError):
            pass  # this kernel or file system cannot; a copy is the same, only slower
    tree = f"{PRIVATE}/workspace"
    mounts.scratch(tree, spec["scratch_bytes"] + sum(map(trees.size_bytes, layers)))
    for layer in reversed(layers):
        trees.copy(layer, tree)
    return layers, tree


def execute(spec: Spec, status: int) -> NoReturn:
    """Become bubblewrap."""
    # out of sight of the command: the arguments name paths of this machine
    arguments = os.memfd_create("arguments")
    os.write(arguments, b"".join(os.fsencode(word) + b"\0" for word in spec["options"]))
    os.lseek(arguments, 0, os.SEEK_SET)
    numbers = str(become.keep(status)), str(become.keep(arguments))
    become.prepare(spec["report"], spec["limits"])
    argv = [spec["program"], "--json-status-fd", numbers[0], "--args", numbers[1]]
    os.execve(argv[0], [*argv, "--", *spec["argv"]], {})  # noqa: S606 -- a list, never a shell
