"""Process 1 of a container: it lays the trees, runs the command, and ends everything.

The command runs as the same user. It cannot reach this process all the same: the first process of
a namespace gets no signal from within it, and what is not dumpable shows nothing of itself. Where
files are to be sealed this process has been root, and is again to give them away.
"""

# pathlib takes longer to import than all of this
# ruff: noqa: PTH123, PTH208

from __future__ import annotations

import ctypes
import marshal
import os
import resource

from . import become, pack, trees, watch

TYPE_CHECKING = False  # typing takes as long to import as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO, Any, NoReturn

    Spec = dict[str, Any]

PR_SET_DUMPABLE = 4
READ, WRITTEN = ("control", "questions"), ("stdout", "stderr", "report", "status", "changes")
READY = b"ready"
ROOT = 0
NOT_FOUND = 127
EFBIG = 27
EVENTS = ("/sys/fs/cgroup/pids/pids.events", "/sys/fs/cgroup/pids.events")
"""Where the container's group counts the processes that it refused; versions 1 and 2."""


def main(place: str, source: IO[bytes], opened: Callable[[str, int], int]) -> None:
    """Do what `source` says, and write how it ended to the pipes in `place`.

    `opened` opens one of them, or fails where nobody has the other end.
    """
    if os.getuid() == ROOT:
        os.setegid(become.USER)
        os.seteuid(become.USER)
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    pipes = {
        name: opened(f"{place}/{name}", os.O_RDONLY if name in READ else os.O_WRONLY)
        for name in READ + WRITTEN
    }
    os.write(pipes["status"], READY)  # from now on these pipes have no name
    try:
        spec = marshal.loads(pack.take(source))  # noqa: S302 -- written by the caller
        if not spec["session"]:
            os.dup2(memory(pack.take(source)), pipes["questions"], inheritable=False)
        before = [remembered(source, root) for root in spec["trees"]]
        seal(spec["sealed"], spec["trees"][0], before[0])
        word, changes = run(spec, pipes, before)
    except OSError as error:
        word, changes = {
            "failed": f"use {error.filename or 'the container'}", "error": error.errno or 0,
        }, []  # fmt: skip
    os.write(pipes["status"], marshal.dumps(word, pack.FORMAT))
    os.close(pipes["status"])
    with open(pipes["changes"], "wb", buffering=0) as file:
        for found in changes:
            pack.send(found, file)


def memory(data: bytes) -> int:
    """Return a descriptor of a file in memory that holds `data`."""
    descriptor = os.memfd_create("input")
    with open(os.dup(descriptor), "wb") as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def remembered(source: IO[bytes], root: str) -> dict[str, tuple[int, str, int]]:
    """Lay a tree at `root` and return what is there: mode, kind and a hash of the content."""
    seen: dict[str, tuple[int, str, int]] = {}

    def passing() -> Iterator[pack.Entry]:
        for entry in pack.receive(source):
            seen[entry[0]] = entry[1], entry[3], hash(entry[4])
            yield entry

    pack.lay(passing(), root)
    return seen


def seal(paths: list[str], root: str, before: dict[str, tuple[int, str, int]]) -> None:
    """Let nobody but root write, move or remove these files of a tree, nor what leads to them.

    Others may still make files beside them, which are theirs.
    """
    if not paths:
        return
    for path in paths:
        mode, kind, content = before[path]
        before[path] = mode & ~trees.WRITE, kind, content
    given_away = trees.shut(paths, root)
    os.seteuid(ROOT)
    for place in given_away:
        os.chown(place, ROOT, ROOT)
    os.seteuid(become.USER)
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # a change of user has set it


def run(
    spec: Spec, pipes: dict[str, int], before: list[dict[str, Any]]
) -> tuple[dict[str, Any], list[Iterator[pack.Entry]]]:
    """Run the command to its end; return how it ended, and what changed in the trees."""
    events = next((os.open(path, os.O_RDONLY) for path in EVENTS if os.path.exists(path)), None)  # noqa: PTH110
    child = os.fork()
    if child == 0:
        execute(spec, pipes)
    for name in ("questions", "stdout", "stderr", "report"):
        os.close(pipes[name])
    ended = watch.until_end(
        child, [pipes["control"]], lambda: crowded(child, spec["processes"], events)
    )
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if ended == "exited" else None
    left = others()
    watch.end_rest()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    word = {
        "ended": ended, "code": code, "cpu_s": usage.ru_utime + usage.ru_stime, "kept": False,
        "left": left if ended == "exited" else 0,
    }  # fmt: skip
    if ended != "exited" or not spec["keep"]:
        return word, []
    if not trees.can_be_copied(spec["keep"], spec["keep_bytes"]):
        # files with holes: small here, vast in a copy
        return {"failed": "keep the changes", "error": EFBIG}, []
    seen = dict(zip(spec["trees"], before, strict=True))
    word["kept"] = True
    return word, [changed(root, seen[root]) for root in spec["keep"]]


def execute(spec: Spec, pipes: dict[str, int]) -> NoReturn:
    """Become the command."""
    try:
        os.setsid()
        become.nobody_else()
        # this process shows itself until it is another program, and so may set its own score
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
        for number, name in enumerate(("questions", "stdout", "stderr")):
            os.dup2(pipes[name], number)
        become.prepare(pipes["report"], spec["limits"])
        os.chdir(spec["directory"])
        os.execvpe(spec["argv"][0], spec["argv"], spec["variables"])  # noqa: S606 -- a list
    except OSError as error:
        os.write(2, f"{spec['argv'][0]}: {error.strerror}\n".encode())
    os._exit(NOT_FOUND)


def crowded(child: int, processes: int, events: int | None) -> bool:
    """Say whether there are too many processes besides this one."""
    reap_orphans(child)
    return watch.refused(events) or others() >= processes


def others() -> int:
    """Return how many processes there are besides this one."""
    return sum(name.isdigit() for name in os.listdir("/proc")) - 1


def reap_orphans(child: int) -> None:
    """Take leave of processes that have ended and have no other parent: they count until then."""
    while True:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None or found.si_pid == child:
            return
        os.waitpid(found.si_pid, 0)


def changed(root: str, before: dict[str, tuple[int, str, int]]) -> Iterator[pack.Entry]:
    """Yield what is new or not the same in a tree, and the directories that lead to it."""
    waiting: list[pack.Entry] = []
    for entry in pack.entries(root):
        path = entry[0]
        waiting = [above for above in waiting if path.startswith(f"{above[0]}/")]
        if before.get(path) == (entry[1], entry[3], hash(entry[4])):
            if entry[3] == "directory":
                waiting.append(entry)
        elif entry[3] == "directory" and before.get(path, (0, ""))[1] == "directory":
            waiting.append(entry)
        else:
            yield from waiting
            waiting = []
            yield entry
