"""Lines that run in other processes: child interpreters of a test, and forks of the test process.

Each leaves a file in a folder in /tmp when it ends; the test process credits them afterwards.
"""

import atexit
import contextlib
import json
import os
import tempfile
from typing import Any, Iterator, List, Tuple

from . import names
from .recorder import new_tracer


def start(folder: str) -> None:
    """Record from now on, and leave the lines in `folder` at the end of this process."""
    tracer = new_tracer()
    tracer.start(_ignore, _ignore)
    label = os.environ.get(names.LABEL, names.IMPORTED)
    atexit.register(leave, folder, label, tracer)
    leave_before_exit(folder, label, tracer)


def follow_forks(folder: str, recorder: Any) -> None:
    """Let a process forked from the one that runs the tests leave its lines as well."""

    def in_child() -> None:
        recorder.tracer.take()  # the parent's
        label = os.environ.get(names.LABEL, names.IMPORTED)
        leave_before_exit(folder, label, recorder.tracer)

    os.register_at_fork(after_in_child=in_child)


def leave_before_exit(folder: str, label: str, tracer: Any) -> None:
    """Make `os._exit`, which runs no exit handlers, leave the lines first."""
    original = os._exit

    def exit_after_leaving(status: int) -> None:
        with contextlib.suppress(Exception):
            leave(folder, label, tracer)
        original(status)

    os._exit = exit_after_leaving  # type: ignore[assignment]


def leave(folder: str, label: str, tracer: Any) -> None:
    """Write what `tracer` has seen to a new file in `folder`."""
    hits = tracer.take()
    if not hits:
        return
    handle, path = tempfile.mkstemp(dir=folder, suffix=".part")
    with open(handle, "w") as file:
        json.dump([label, hits], file)
    os.rename(path, path[: -len(".part")] + ".json")


def collect(folder: str) -> Iterator[Tuple[Any, List[Any]]]:
    """Yield the label and lines that each process left since the last call."""
    try:
        found = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return
    for name in found:
        path = folder + "/" + name
        with contextlib.suppress(Exception):
            with open(path) as file:
                label, hits = json.load(file)
            os.unlink(path)
            yield (int(label) if label.isdigit() else label), [tuple(hit) for hit in hits]


def _ignore(_path: str) -> None:
    return
