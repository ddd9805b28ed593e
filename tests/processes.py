"""Look for processes of this machine, and wait for them."""

import time
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
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if bool(running(marker)) == there:
            return True
        time.sleep(0.02)
    return False
