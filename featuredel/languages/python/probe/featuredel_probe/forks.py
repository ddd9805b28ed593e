"""A process that has pytest loaded, and forks for each run of tests: `-m featuredel_probe.forks`.

It never runs code of a tree, so that each fork starts as a fresh process would, without paying for
the start; nor, once a fork has told what it used, for the dependencies; nor for compiling what was
compiled before. What one run does to its tree, its memory and its scratch space, the next does not
see. Questions are JSON; an answer is a line of JSON and the report of the run.
"""

import base64
import contextlib
import gc
import importlib
import json
import os
import resource
import site
import struct
import sys
import tempfile
import threading
import time
from typing import IO, Any, Dict, List, Optional, Set, Tuple

from . import names, private
from .compiled import Compiled
from .patterns import MOST, Patterns
from .processes import cpu_s, end_all, waited
from .variants import Variants

FRAME = struct.Struct("!Qd")
IMPORT_S = 60.0


def main() -> None:
    """Answer until there are no more questions."""
    private.guard()
    warm_up()
    compiled, patterns, preloaded = Compiled(), Patterns(), Preloaded()
    compiled.install()
    patterns.install()
    while True:
        question = receive_from(0)
        if question is None:
            return
        job = json.loads(question)
        if "code" in job:
            send_to(names.REPORT_FD, compiled.packed(job))
            continue
        with tempfile.TemporaryFile() as report, tempfile.TemporaryFile() as notes:
            compiled.prepare(job)
            gc.freeze()
            began_s, before_s = time.monotonic(), cpu_s()
            ended, code = run(job, compiled, patterns, report, notes)
            head = [ended, code, time.monotonic() - began_s, cpu_s() - before_s]
            report.seek(0)
            send_to(names.REPORT_FD, json.dumps(head).encode() + b"\n" + report.read())
            notes.seek(0)
            with contextlib.suppress(ValueError, TypeError):  # a fork that died told nothing
                modules, missed, expressions = json.loads(notes.read())
                preloaded.add([str(name) for name in modules])
                compiled.expect([(str(kind), str(path)) for kind, path in missed])
                patterns.expect([(str(pattern), int(flags)) for pattern, flags in expressions])


# --- what stays between runs -----------------------------------------------------------------


def warm_up() -> None:
    """Import what every run imports before it looks at the tree."""
    config = importlib.import_module("_pytest.config")
    for name in config.default_plugins:
        importlib.import_module("_pytest." + name)
    importlib.import_module("featuredel_probe.plugin")  # of which no bytecode is kept
    # A plugin that was imported here, as what a dependency needs, is not rewritten in the fork.
    # That changes what its own assertions say; the warning may be an error to the project.
    rewrite: Any = importlib.import_module("_pytest.assertion.rewrite")
    rewrite.AssertionRewritingHook._warn_already_imported = lambda _hook, _name: None


class Preloaded:
    """The modules outside of the tree that are imported here once.

    An import that fails half-way leaves modules behind that know one that is gone. So a fork tries
    first, and a package of which a module fails, or starts a thread, is left to the forks.
    """

    def __init__(self) -> None:
        self.refused: Set[str] = set()

    def add(self, modules: List[str]) -> None:
        """Import modules, but none that the tree brings."""
        own = sys.path[:]
        sys.path[:] = [path for path in own if path.startswith((sys.prefix, sys.base_prefix))]
        while True:
            wanted = [
                name
                for name in modules
                if name not in sys.modules and name.partition(".")[0] not in self.refused
            ]
            if not wanted or self._all_can_be(wanted):
                break
        for name in wanted:
            importlib.import_module(name)
        sys.path[:] = own

    def _all_can_be(self, modules: List[str]) -> bool:
        """Import modules in a fork; refuse the package of the first that fails."""
        with tempfile.TemporaryFile() as told:
            child = os.fork()
            if child == 0:
                try:
                    for name in modules:
                        os.write(told.fileno(), name.encode() + b"\n")
                        importlib.import_module(name)
                        if threading.active_count() > 1:
                            break
                    else:
                        os.write(told.fileno(), b".")
                finally:
                    os._exit(0)
            waited(child, time.monotonic() + IMPORT_S)
            end_all(child)
            told.seek(0)
            tried = told.read().decode().splitlines()
        if tried and tried[-1] == ".":
            return True
        self.refused.add((tried or modules)[-1].partition(".")[0])
        return False


def dependencies() -> List[str]:
    """Return what is imported from outside the tree, but for what pytest itself rewrites."""
    return [
        name
        for name, module in list(sys.modules.items())
        if type(getattr(module, "__loader__", None)).__module__.startswith("_frozen_importlib")
        and str(getattr(module, "__file__", None)).startswith((sys.prefix, sys.base_prefix))
    ]


# --- a run -----------------------------------------------------------------------------------


def run(
    job: Dict[str, Any], compiled: Compiled, patterns: Patterns, report: IO[bytes],
    notes: IO[bytes],
) -> Tuple[str, Optional[int]]:  # fmt: skip
    """Run pytest in a fork; return how it ended, with its exit code or minus its signal."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            become(job, report)
            sys.argv = ["pytest", *job["arguments"]]
            plugins = [Variants(job)] if job["variants"] else []
            code = int(importlib.import_module("pytest").main(job["arguments"], plugins))
            told = json.dumps([dependencies(), compiled.missed, patterns.missed[:MOST]])
            os.write(notes.fileno(), told.encode())
        finally:
            os._exit(code)
    status = waited(child, time.monotonic() + job["wall_s"])
    end_all(child)
    if status is None:
        return "timeout", None
    return "exited", -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def become(job: Dict[str, Any], report: IO[bytes]) -> None:
    """Become what a fresh process in a sandbox of its own would be."""
    os.setsid()
    private.show_tree(job["layers"], job["workspace"], job["trees"], job["scratch"])
    sys.path.extend(late_paths())
    for path, content in job["files"].items():
        private.replace(path, None if content is None else base64.b64decode(content))
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(job["request"]).encode())
        file.flush()
        file.seek(0)
        os.dup2(file.fileno(), 0)
    os.dup2(report.fileno(), names.REPORT_FD)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    limit_s = max(1, round(job["cpu_s"]))
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 1))


def late_paths() -> List[str]:
    """Return the folders of path files that were not there when this interpreter started."""
    paths: List[str] = []
    for folder in site.getsitepackages():
        for name in sorted(os.listdir(folder)):
            if name.endswith(".pth"):
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                    lines = [line.rstrip() for line in file]
                paths += [os.path.join(folder, line) for line in lines if line]
    return [path for path in dict.fromkeys(paths) if path not in sys.path and os.path.isdir(path)]


# --- questions and answers -------------------------------------------------------------------


def receive_from(fd: int) -> Optional[bytes]:
    """Return the next question, or None at the end."""
    head = exactly(fd, FRAME.size)
    return None if head is None else exactly(fd, FRAME.unpack(head)[0])


def exactly(fd: int, size: int) -> Optional[bytes]:
    """Read so many bytes; None where there are not as many."""
    parts = []
    while size:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def send_to(fd: int, data: bytes) -> None:
    """Write an answer, with what everything used so far."""
    view = memoryview(FRAME.pack(len(data), cpu_s()) + data)
    while view:
        view = view[os.write(fd, view) :]


if __name__ == "__main__":
    main()
