"""Runs of tests that were collected once, each in a fork with other code in memory.

`program.py` says which changes a fork can be given. A run that looks at the files on disk, or
starts another process, does not count; after one that leaves behind what cannot be cleared away,
there are no more.
"""

import base64
import gc
import os
import shutil
import tempfile
import threading
import time
from typing import Any, Dict, List, Optional, Set, Tuple

import pytest

from . import names, private
from .processes import cpu_s, end_all, waited
from .program import Parts, Program, joined, watch
from .report import Report

NOT_THE_SAME = 71
"""The exit code of a fork that may not have seen what it should."""


class Variants:
    """Runs the tests in forks where pytest would run them once."""

    def __init__(self, job: Dict[str, Any]) -> None:
        self.variants: List[Dict[str, Any]] = job["variants"]
        self.groups: List[List[int]] = job["groups"]
        self.ran: Dict[str, Set[int]] = {path: set(lines) for path, lines in job["ran"].items()}
        self.wall_s: float = job["wall_s"]
        self.places = [job["trees"] + "/changes", *job["scratch"]]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        """Run each group of variants, and report it as one record."""
        probe = session.config.pluginmanager.get_plugin("featuredel")
        program = Program(self.ran)
        if session.testsfailed or threading.active_count() > 1 or not private.overlaid():
            return True
        private.adopt()
        before = traces(self.places)
        gc.collect()
        gc.freeze()
        files = [
            {path: base64.b64decode(text) for path, text in variant["files"].items()}
            for variant in self.variants
        ]
        parts = [program.changes(some) for some in files]
        every = list(session.items)
        for number, group in enumerate(self.groups):
            together = joined([parts[one] for one in group])
            if together is None:
                continue
            session.items = self._asked(every, group)
            probe.request["stop"] = all(self.variants[one]["stop"] for one in group)
            changed = [path for one in group for path in files[one]]
            told = self._run(session, probe, program, changed, together)
            if told is not None:
                probe.report.send("variant", number, *told)
            if not restored(self.places, before):
                break
        return True

    def _asked(self, items: List[Any], group: List[int]) -> List[Any]:
        asked = [self.variants[one]["ids"] for one in group]
        if None in asked:
            return items
        ids = {test for some in asked for test in some}
        return [item for item in items if item.nodeid in ids]

    def _run(
        self, session: Any, probe: Any, program: Program, files: List[str], parts: Parts
    ) -> Optional[Tuple[str, Optional[int], float, float, str]]:
        with tempfile.TemporaryFile() as report:
            began_s, before_s = time.monotonic(), cpu_s()
            child = os.fork()
            if child == 0:
                code = 70
                try:
                    os.setsid()
                    os.dup2(report.fileno(), names.REPORT_FD)
                    program.apply(parts)
                    doubts = watch(files)
                    probe.begin_again(Report(names.REPORT_FD), session.items)
                    _loop(session)
                    probe.report.send("end", probe.why)
                    code = NOT_THE_SAME if doubts else 0
                finally:
                    os._exit(code)
            status = waited(child, began_s + self.wall_s)
            end_all(child)
            report.seek(0)
            text = report.read().decode("utf-8", "backslashreplace")
            used = (time.monotonic() - began_s, cpu_s() - before_s)
        if status is None:
            return ("timeout", None, *used, text)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == NOT_THE_SAME:
            return None
        killed = os.WIFSIGNALED(status)
        return ("exited", -os.WTERMSIG(status) if killed else os.WEXITSTATUS(status), *used, text)


def _loop(session: Any) -> None:
    from _pytest.main import pytest_runtestloop

    pytest_runtestloop(session)


# --- what a run leaves ----------------------------------------------------------------------------

Traces = Dict[str, Tuple[int, int]]


def traces(places: List[str]) -> Traces:
    """Return the files in `places`, with size and time; of a directory, only that it is there."""
    found: Traces = {}
    for place in places:
        for folder, folders, files in os.walk(place):
            for name in files:
                status = os.lstat(os.path.join(folder, name))
                found[os.path.join(folder, name)] = (status.st_size, status.st_mtime_ns)
            for name in folders:
                found[os.path.join(folder, name)] = (-1, -1)
    return found


def restored(places: List[str], before: Traces) -> bool:
    """Remove what is new in scratch space; return whether all is as it was."""
    _, *scratch = places
    for path in traces(scratch).keys() - before.keys():
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        elif os.path.lexists(path):
            os.unlink(path)
    return traces(places) == before
