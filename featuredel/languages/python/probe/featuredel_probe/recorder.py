"""Whose lines they are: lines that run are credited to the owner of the moment."""

import os
import sys
from typing import Any, Dict, List, Optional, Tuple, Union

from . import names
from .report import Report

Label = Union[int, str]
Owner = Tuple[Label, ...]

_active: List["Recorder"] = []  # handed from the start of the interpreter to the plugin


def new_tracer() -> Any:
    """Return the best tracer that this interpreter has."""
    if sys.version_info >= (3, 12):
        from .monitoring import MonitoringTracer

        return MonitoringTracer()
    from . import tracing

    try:
        return tracing.CoverageTracer()
    except ImportError:
        return tracing.SettraceTracer()


def start() -> None:
    """Begin to record, at the start of the interpreter that runs the tests."""
    _active.append(Recorder(new_tracer()))


def active() -> Optional["Recorder"]:
    """Return the recorder that `start` made."""
    return _active[0] if _active else None


class Recorder:
    """Credits lines to owners and reports them. An owner is one label or more."""

    def __init__(self, tracer: Any) -> None:
        self.tracer = tracer
        self.report: Optional[Report] = None  # until then, all that runs is "imported"
        self._early: List[Tuple[Owner, List[Any]]] = []
        self._owner: Owner = (names.IMPORTED,)
        self._stack: List[Tuple[object, Owner]] = []
        self._sets: Dict[Any, int] = {}
        self._files: Dict[str, int] = {}
        self._process = os.getpid()
        tracer.start(self._enter_module, self._leave_module)

    def attach(self, report: Report) -> None:
        """Report to `report`, what was recorded before included."""
        self.report = report
        early, self._early = self._early, []
        for owner, hits in early:
            self._credit(owner, hits)

    def switch(self, *owner: Label) -> None:
        """Credit what ran so far, and from now on `owner`; whatever was pushed is forgotten."""
        self.settle()
        self._stack.clear()
        self._owner = owner

    def push(self, key: object, *owner: Label) -> None:
        """Credit `owner` until `pop(key)`."""
        self.settle()
        self._stack.append((key, self._owner))
        self._owner = owner

    def pop(self, key: object) -> None:
        """Return to the owner before `push(key)`, and forget what was pushed since."""
        for place in range(len(self._stack) - 1, -1, -1):
            if self._stack[place][0] == key:
                self.settle()
                self._owner = self._stack[place][1]
                del self._stack[place:]
                return

    def settle(self) -> None:
        """Credit what ran since the last time to the owner of the moment."""
        if os.getpid() == self._process:
            hits = self.tracer.take()
            if hits:
                self._credit(self._owner, hits)

    def credit(self, owner: Label, hits: List[Any]) -> None:
        """Credit lines that ran elsewhere."""
        self._credit((owner,), hits)

    def _credit(self, owner: Owner, hits: List[Any]) -> None:
        if self.report is None:
            self._early.append((owner, hits))
            return
        numbers, new = [], []
        for hit in hits:
            number = self._sets.get(hit)
            if number is None:
                number = self._sets[hit] = len(self._sets)
                new.append(self._described(hit))
            numbers.append(number)
        if new:
            self.report.add("sets", new)
        for label in owner:
            credited = numbers
            if isinstance(label, str) and label.startswith("m"):
                # a test module's own top level is plain import; what it calls is its tests'
                credited = [n for n, hit in zip(numbers, hits) if hit[0] != label[1:]]
            if credited:
                self.report.add("lines", [label], credited)

    def _described(self, hit: Any) -> List[Any]:
        path, first, mask = hit
        if path in self._files:
            return [self._files[path], first, "%x" % mask]
        self._files[path] = len(self._files)
        return [path, first, "%x" % mask]

    def _enter_module(self, path: str) -> None:
        """A module's top level counts as imported, and for a test that imports it as well."""
        module = "m" + path
        kept = [
            label
            for label in self._owner
            if label == module or not (isinstance(label, str) and label[0] in "im")
        ]
        self.push(("module", path), names.IMPORTED, *kept)

    def _leave_module(self, path: str) -> None:
        self.pop(("module", path))
