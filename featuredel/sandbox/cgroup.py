"""A bound on the number of processes for root, whom the kernel exempts from RLIMIT_NPROC."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

MOUNTS = Path("/sys/fs/cgroup")
PREFIX = "featuredel-"


@contextlib.contextmanager
def limited(processes: int) -> Iterator[Path | None]:
    """Make a control group that holds at most so many processes, and remove it when it is empty.

    Yields None where that is not possible or not needed: not root, or no writable hierarchy.
    """
    group = create(processes) if os.geteuid() == 0 else None
    try:
        yield group
    finally:
        if group is not None:
            with contextlib.suppress(OSError):
                group.rmdir()


def create(processes: int) -> Path | None:
    """Make the group below the one that this process is in, or return None."""
    parent = own_group()
    if parent is None:
        return None
    try:
        group = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent))
    except OSError:
        return None
    try:
        (group / "pids.max").write_text(str(processes))
    except OSError:  # version 2 without the controller: the file is not there
        group.rmdir()
        return None
    return group


def own_group() -> Path | None:
    """Return the directory of this process's group in the hierarchy that counts processes."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "pids" in controllers.split(","):
            return MOUNTS / "pids" / path.lstrip("/")
        if not controllers and (MOUNTS / "cgroup.controllers").exists():
            return MOUNTS / path.lstrip("/")
    return None


def sweep() -> None:
    """Remove the groups of processes that were killed before they could."""
    parent = own_group()
    if parent is None or os.geteuid() != 0:
        return
    for group in parent.glob(f"{PREFIX}*-*"):
        owner = group.name.removeprefix(PREFIX).split("-")[0]
        if not Path("/proc", owner).exists():
            with contextlib.suppress(OSError):
                group.rmdir()
