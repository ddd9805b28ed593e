"""Look for processes of this machine, and wait for them."""

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE_S = 30.0


def running(marker: str) -> list[int]:
    """Return the processes that have `marker` in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if marker.encode() in words:
                found.append(int(entry.name))
    return found


def wait_until(marker: str, there: bool) -> bool:
    """Wait until such a process is there, or none is; return whether that came to be."""
    return eventually(lambda: bool(running(marker)) == there)


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait until something holds; return whether it came to."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.02)
    return False
