"""What a run of a changed program asks the disk, where the tree is unchanged."""

import os
import sys
from typing import Any, Iterable, List, Tuple

from . import names

SPAWNING = {
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system",
    "subprocess.Popen",
}  # fmt: skip
_LOOKING = ("open", "os.listdir", "os.scandir")


def watch(changed: Iterable[str], removed: Iterable[str]) -> List[str]:
    """Note from now on, in the list that is returned, what the tree on disk decides.

    That is other processes, reading the files that are other in memory, and looking for those
    that are not there.
    """
    doubts: List[str] = []
    files = {names.WORKSPACE + path for path in (*changed, *removed)}
    folders = {os.path.dirname(names.WORKSPACE + path) for path in removed}

    def hook(event: str, arguments: Tuple[Any, ...]) -> None:
        if event in SPAWNING:
            doubts.append(event)
        elif event in _LOOKING and isinstance(arguments[0], (str, bytes, os.PathLike)):
            path = os.path.abspath(os.fsdecode(arguments[0]))
            if path in (files if event == "open" else folders):
                doubts.append(event)

    sys.addaudithook(hook)
    return doubts
