"""Runs of tests that were collected once, in forks with other code in memory.

`program.py` says which changes a fork can be given. Several variants of few tests share a fork:
it is given one change after the other, each taken back before the next. There a variant counts
only if all of its tests fail with the change and pass again without it: a test that passes may
owe that to what another variant's tests had set up, and the variant is run alone. Where tests
fail without the change as well, something was left behind, and the group is split.

A run that looks at the files on disk, or starts another process, does not count; after one that
leaves behind what cannot be cleared away, there are no more.
"""

import base64
import contextlib
import gc
import json
import os
import tempfile
import threading
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import pytest

from . import names, private
from .compared import NotTold
from .disk import watch
from .exchange import Exchange, Parts
from .processes import cpu_s, end_all, waited
from .program import Program
from .report import Report
from .shares import Shares
from .traces import restored, traces

Record = Tuple[int, str, Optional[int], float, float, str]
"""Of a variant: how its run ended, with which code, in which time, and what it reported."""


class Change(NamedTuple):
    """A variant as it is run."""

    number: int
    parts: Parts
    items: List[Any]
    limits_s: Any
    stop: int


class Variants:
    """Runs the tests in forks where pytest would run them once."""

    def __init__(self, job: Dict[str, Any]) -> None:
        self.variants: List[Dict[str, Any]] = job["variants"]
        self.most: int = job["most"]
        self.ran: Dict[str, Set[int]] = {path: set(lines) for path, lines in job["ran"].items()}
        self.wall_s: float = job["wall_s"]
        self.places = [job["trees"] + "/changes", *job["scratch"]]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        """Run each variant, and report it as one record."""
        probe = session.config.pluginmanager.get_plugin("featuredel")
        program = Program(self.ran)
        if session.testsfailed or threading.active_count() > 1 or not private.overlaid():
            return True
        private.adopt()
        collects = gc.isenabled()
        gc.disable()  # syntax trees are many objects, and hold no garbage
        changes = dict(self._changes(program, session.items))
        if collects:
            gc.enable()
        before = traces(self.places)
        del program
        gc.collect()
        gc.freeze()
        shares = Shares({number: self.variants[number] for number in changes}, self.most)
        while True:
            group = shares.next()
            if not group:
                break
            told = self._run(session, probe, [changes[number] for number in group])
            for record in told.records:
                probe.report.send("variant", len(group), *record)
            shares.ran(group, told.again, told.split)
            if not restored(self.places, before):
                break
        return True

    def _changes(self, program: Program, items: List[Any]) -> Iterator[Tuple[int, Change]]:
        for number, variant in enumerate(self.variants):
            files = {
                path: None if text is None else base64.b64decode(text)
                for path, text in variant["files"].items()
            }
            try:
                parts = program.changes(files, variant["hidden"])
            except NotTold:
                continue
            ids = None if variant["ids"] is None else set(variant["ids"])
            asked = [item for item in items if ids is None or item.nodeid in ids]
            yield number, Change(number, parts, asked, variant["limits_s"], variant["stop"])

    def _run(self, session: Any, probe: Any, group: List[Change]) -> "Told":
        """Run a group in a fork."""
        with tempfile.TemporaryFile() as report:
            began_s, before_s = time.monotonic(), cpu_s()
            child = os.fork()
            if child == 0:
                code = 70
                try:
                    os.setsid()
                    os.dup2(report.fileno(), names.REPORT_FD)
                    files = [self.variants[one.number]["files"] for one in group]
                    removed = [p for some in files for p, text in some.items() if text is None]
                    doubts = watch([path for some in files for path in some], removed)
                    _Fork(session, probe, doubts).run(group)
                    code = 0
                finally:
                    os._exit(code)
            status = waited(child, began_s + self.wall_s)
            end_all(child)
            report.seek(0)
            text = report.read().decode("utf-8", "backslashreplace")
            used = (time.monotonic() - began_s, cpu_s() - before_s)
        if len(group) == 1 and status != 0:
            return Told([(group[0].number, *_end(status), *used, text)], [], [])
        share = used[0] / len(group), used[1] / len(group)
        return _told([change.number for change in group], text.split(_NEXT), share)


class Told(NamedTuple):
    """What a fork told of its variants, and which of them have to be run again."""

    records: List[Record]
    again: List[int]  # alone
    split: List[int]  # with fewer others


def _told(group: List[int], texts: List[str], used: Tuple[float, float]) -> Told:
    told = Told([], [], [])
    for number, text in zip(group, [*texts, *("" for _ in group)]):
        last = text.rstrip().rpartition("\n")[2]
        if last == _ALONE:
            told.again.append(number)
        elif last == _TOLD:
            told.records.append((number, "exited", 0, *used, text))
        elif last != _DOUBT:
            told.split.append(number)
    return told


def _end(status: Optional[int]) -> Tuple[str, Optional[int]]:
    if status is None:
        return "timeout", None
    return "exited", -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


_NEXT = '["next"]\n'
_TOLD, _ALONE, _DOUBT, _BROKEN = '["told"]', '["alone"]', '["doubt"]', '["broken"]'


class _Fork:
    """Runs variants one after the other in this process."""

    def __init__(self, session: Any, probe: Any, doubts: List[str]) -> None:
        self.session, self.probe, self.doubts = session, probe, doubts
        self.report = Report(names.REPORT_FD)
        self.exchange = Exchange()

    def run(self, group: List[Change]) -> None:
        """Report what the tests of each do, and whether the change was the reason."""
        for place, change in enumerate(group):
            if place:
                self.report.send("next")
            self.doubts.clear()
            self.exchange.apply(change.parts)
            outcomes = self._loop(self.report, change)
            doubt = bool(self.doubts)
            if len(group) == 1:
                kind = _TOLD
            else:
                self.exchange.undo()
                kind = self._kind(change, set(outcomes.values()))
            self.report.send(*json.loads(_DOUBT if doubt else kind))
            if self.probe.why and len(group) > 1:
                return  # what the tests share may not have been taken down

    def _kind(self, change: Change, outcomes: Set[str]) -> str:
        """Run tests without any change, and return what the run with it is worth."""
        if self.probe.why:
            return _DOUBT
        if "passed" in outcomes:
            return _ALONE
        for item in change.items:
            if hasattr(item, "_initrequest"):
                item._initrequest()
        again = self._loop(_Nowhere(), change)
        held = all(again.get(item.nodeid) == "passed" for item in change.items)
        return _TOLD if held else _BROKEN

    def _loop(self, report: Any, change: Change) -> Dict[str, str]:
        from _pytest.main import pytest_runtestloop

        session, items = self.session, change.items
        self.probe.request["stop"] = change.stop
        kept = _Kept(report)
        session.items, session.testsfailed = items, 0
        session.shouldstop = session.shouldfail = False
        self.probe.begin_again(kept, items, change.limits_s)
        with contextlib.suppress(session.Interrupted):
            pytest_runtestloop(session)
        kept.send("end", self.probe.why)
        return {items[number].nodeid: outcome for number, outcome in kept.outcomes.items()}


class _Kept:
    """A report that remembers what became of tests."""

    def __init__(self, report: Any) -> None:
        self.report = report
        self.outcomes: Dict[int, str] = {}

    def add(self, *record: Any) -> None:
        """Keep a record until the next `flush`."""
        if record[0] == "test":
            self.outcomes[record[1]] = record[2]
        self.report.add(*record)

    def flush(self) -> None:
        """Write all that waits."""
        self.report.flush()

    def send(self, *record: Any) -> None:
        """Write a record at once."""
        self.add(*record)
        self.flush()


class _Nowhere:
    """A report that nobody reads."""

    def add(self, *record: Any) -> None:
        """Do nothing."""

    def flush(self) -> None:
        """Do nothing."""
