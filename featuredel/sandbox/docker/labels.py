"""Labels: how everything that is made here is found again, and whose it is."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

KIND = "featuredel.kind"
OWNER = "featuredel.owner"
KEY = "featuredel.key"
BASE = "featuredel.base"

Kind = Literal["base", "profile", "environment", "task", "run"]


def made(kind: Kind, **more: str) -> dict[str, str]:
    """Return the labels of something that stays."""
    return {KIND: kind, **{f"featuredel.{name}": value for name, value in more.items()}}


def running(process: int | None = None) -> dict[str, str]:
    """Return the labels of a container of a process, this one by default."""
    return {KIND: "run", OWNER: f"{_here()}/{_mark(process or os.getpid())}"}


def is_abandoned(labels: Mapping[str, str]) -> bool:
    """Say whether the owner is known to be gone; one on another machine never is."""
    here, slash, mark = labels.get(OWNER, "").rpartition("/")
    if not slash or here != _here():
        return False
    try:
        return _mark(int(mark.partition(".")[0])) != mark
    except (OSError, ValueError):
        return True


def _here() -> str:
    """Name what numbers of processes count in: a start of a machine, or a container on it."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}.{Path('/proc/self/ns/pid').stat().st_ino}"


def _mark(process: int) -> str:
    """Name a process by its number and start: numbers are used again."""
    status = Path(f"/proc/{process}/stat").read_text()
    return f"{process}.{status.rpartition(')')[2].split()[19]}"
