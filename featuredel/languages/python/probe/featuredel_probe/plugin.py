"""The pytest plugin: selects and orders tests, limits their time, reports what they do.

PYTEST_DONT_REWRITE
"""

import contextlib
import json
import os
import tempfile
import time
from types import FunctionType
from typing import Any, Dict, Generator, List, Optional

import pytest

from . import child, generated, names, outcomes, recorder, selection
from .clock import Clock
from .fixtures import SharedFixtures
from .report import Report

MAX_TIMEOUTS = 3
CHUNK = 500  # ids in a record
ENDINGS = {2: "interrupted", 3: "internal error", 4: "pytest was not content with its options"}

_wrapper = pytest.hookimpl(hookwrapper=True, tryfirst=True)


class Probe:
    """All hooks, and what they must remember of a run."""

    def __init__(self, request: Dict[str, Any], report: Report) -> None:
        self.request = request
        self.report = report
        self.started_s = time.monotonic()
        self.clock = Clock(request["timeout_s"], request["cpu_s"], request["stalls"], self._give_up)
        self.wanted = selection.above(request["ids"] or ()) if request["lean"] else None
        self.numbers: Dict[str, int] = {}
        self.result = outcomes.Result()
        self.running: Optional[str] = None
        self.timeouts = self.failures = 0
        self.why = ""
        self.folder = ""
        self.fixtures: Optional[SharedFixtures] = None
        self.recorder = recorder.active()
        if self.recorder is not None:
            self._record(self.recorder)

    def _record(self, active: recorder.Recorder) -> None:
        self.fixtures = SharedFixtures(active)
        self.folder = tempfile.mkdtemp(prefix="featuredel-")
        os.environ[names.CHILDREN] = self.folder
        child.follow_forks(self.folder, active)
        active.attach(self.report)

    def begin_again(self, report: Any, items: List[Any], limits_s: Any = None) -> None:
        """Report tests anew, as if these had been collected and nothing been reported.

        `limits_s` are of one test, wall and CPU; None is what was asked for.
        """
        self.report = report
        self.why = ""
        self.timeouts = self.failures = 0
        self.numbers = {item.nodeid: number for number, item in enumerate(items)}
        self.started_s = time.monotonic()
        wall_s, cpu_s = limits_s or (self.request["timeout_s"], self.request["cpu_s"])
        self.clock = Clock(wall_s, cpu_s, self.request["stalls"], self._give_up)
        self._tell_items()

    # before the tests

    @_wrapper
    def pytest_load_initial_conftests(
        self, parser: Any, args: List[str]
    ) -> Generator[None, Any, None]:
        outcome = yield
        error = outcome.excinfo[1] if outcome.excinfo else None
        if error is not None:
            path = self._relative(getattr(error, "path", "conftest.py"))
            self.report.send("unimportable", path, outcomes.why_not_imported(error))
        selection.drop_unknown_options(args, parser)

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: Any) -> None:
        config.option.maxfail = 0
        if hasattr(config.option, "hypothesis_seed"):
            config.option.hypothesis_seed = str(self.request["seed"])

    @_wrapper
    def pytest_make_collect_report(self, collector: Any) -> Generator[None, Any, None]:
        if isinstance(collector, pytest.Module) and not isinstance(collector, pytest.Package):
            self.report.send("collecting", collector.nodeid)
            self._contain(collector)
        if self.recorder is not None:
            self.recorder.switch(names.IMPORTED)
        outcome = yield
        if self.recorder is not None:
            self.recorder.switch(names.IMPORTED)
        if outcome.excinfo is None and outcome.get_result().failed:
            report = outcome.get_result()
            excinfo = getattr(getattr(report, "call", None), "excinfo", None)
            reason = (
                outcomes.why_not_imported(excinfo.value)
                if excinfo is not None
                else outcomes.first_line(report.longrepr)
            )
            self.report.send("unimportable", report.nodeid or ".", reason)

    def _contain(self, collector: Any) -> None:
        """Make a module that exits when it is imported fail alone, and know what it calls."""
        collect, module = collector.collect, "m" + collector.nodeid

        def contained() -> Any:
            try:
                with self._credited(module):
                    _ = collector.obj  # imports it
                return list(collect())
            except (SystemExit, KeyboardInterrupt, pytest.exit.Exception) as error:
                raise collector.CollectError(outcomes.described(error)) from error

        collector.collect = contained

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: Any, name: str, obj: Any) -> Optional[List[Any]]:
        if self.wanted is None or not isinstance(obj, (type, FunctionType)):
            return None
        return None if "%s::%s" % (collector.nodeid, name) in self.wanted else []

    @_wrapper
    def pytest_generate_tests(self, metafunc: Any) -> Generator[None, Any, None]:
        with self._credited("m" + metafunc.definition.nodeid.split("::")[0]):
            yield

    @contextlib.contextmanager
    def _credited(self, module: str) -> Generator[None, None, None]:
        if self.recorder is None:
            yield
            return
        self.recorder.push(module, names.IMPORTED, module)
        try:
            yield
        finally:
            self.recorder.pop(module)

    @_wrapper
    def pytest_collection_modifyitems(self, items: List[Any]) -> Generator[None, Any, None]:
        yield
        ids = self.request["ids"]
        chosen = selection.selected(items, None if ids is None else set(ids))
        if self.request["order"] == "asked":
            place = {test: number for number, test in enumerate(ids)}
            items[:] = sorted(chosen, key=lambda item: place[item.nodeid])
        else:
            items[:] = selection.ordered(chosen, self.request["order"], self.request["seed"])
        for item in items:
            self.numbers.setdefault(item.nodeid, len(self.numbers))
        self._tell_items()
        generated.ignore_the_clock(items)

    def _tell_items(self) -> None:
        every = list(self.numbers)
        for first in range(0, len(every), CHUNK):
            self.report.add("items", every[first : first + CHUNK])
        self.report.flush()

    # the tests

    @_wrapper
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, None]:
        number = self.numbers.setdefault(item.nodeid, len(self.numbers))
        self.running = item.nodeid
        self.result = outcomes.Result()
        _render_nothing(item)
        if self.recorder is not None:
            os.environ[names.LABEL] = str(number)
            self.recorder.switch(number)
        self.report.send("start", number, round(time.monotonic() - self.started_s, 3))
        self.clock.arm(self.request["slow_cpu_s"].get(item.nodeid))
        try:
            yield
        finally:
            self.clock.disarm()
            self.running = None
            self._finish(item, number)

    def _finish(self, item: Any, number: int) -> None:
        result = self.result
        if self.clock.fired:
            result.set("timeout", "no end after %g s" % self.clock.limit_s)
            self.timeouts += 1
        if self.recorder is not None and self.fixtures is not None:
            self.recorder.switch(names.IMPORTED)
            for label, hits in child.collect(self.folder):
                self.recorder.credit(label, hits)
            used = self.fixtures.used_by(item)
            if used:
                self.report.add("uses", number, sorted(used))
        if result.outcome == "absent":  # the session ends in it; the host sees it still running
            return
        self.report.add("test", number, result.outcome, round(result.duration_s, 6), result.reason)
        self.failures += result.outcome in ("failed", "error", "timeout")
        if self.timeouts >= MAX_TIMEOUTS:
            self.why = item.session.shouldstop = "too many timeouts"
        elif 0 < self.request["stop"] <= self.failures:
            item.session.shouldstop = "enough tests failed"

    @_wrapper
    def pytest_runtest_setup(self) -> Generator[None, Any, None]:
        self.clock.inside = True
        yield
        self.clock.inside = False

    @_wrapper
    def pytest_runtest_call(self) -> Generator[None, Any, None]:
        self.clock.inside = True
        yield
        self.clock.inside = False

    @_wrapper
    def pytest_runtest_teardown(self) -> Generator[None, Any, None]:
        self.clock.inside = True
        yield
        self.clock.inside = False

    @_wrapper
    def pytest_runtest_makereport(self, call: Any) -> Generator[None, Any, None]:
        outcome = yield
        if call.excinfo is not None and outcome.excinfo is None:
            report = outcome.get_result()
            report.featuredel_reason = outcomes.described(call.excinfo.value)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.nodeid == self.running:
            self.result.add(report)

    @_wrapper
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, None]:
        if self.fixtures is None or not self.fixtures.begin(fixturedef):
            yield
            return
        try:
            yield
        finally:
            self.fixtures.end(fixturedef)

    def pytest_fixture_post_finalizer(self, fixturedef: Any) -> None:
        if self.fixtures is not None:
            self.fixtures.finished(fixturedef)

    # after the tests

    def pytest_internalerror(self, excinfo: Any) -> None:
        self.why = "internal error: " + outcomes.described(excinfo.value)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if not self.why and not (self.request["stop"] and int(exitstatus) == 2):
            self.why = ENDINGS.get(int(exitstatus), "")

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        if self.recorder is not None:
            self.recorder.switch(names.IMPORTED)
        self.report.send("end", self.why)

    def _give_up(self) -> None:
        if self.running is not None:
            self.report.add("test", self.numbers[self.running], "timeout", 0.0, "it goes on")
            self.report.send("end", "a test went on after its time-out")
        os._exit(70)

    def _relative(self, path: Any) -> str:
        text = str(path)
        return text[len(names.WORKSPACE) :] if text.startswith(names.WORKSPACE) else text


def _render_nothing(item: Any) -> None:
    """Rendering tracebacks can take several times as long as the tests."""

    def render(excinfo: Any, *_args: Any, **_options: Any) -> str:
        return outcomes.described(excinfo.value)

    item.repr_failure = item._repr_failure_py = render


def _ignore_bytecode() -> None:
    """Make pytest compile test modules from their source, as `start` does for all others."""
    from _pytest.assertion import rewrite

    if hasattr(rewrite, "_read_pyc"):
        rewrite._read_pyc = lambda *args, **options: None


def _use_code() -> None:
    """Take from a file what was compiled beforehand, by a process that runs no code of a tree."""
    if os.environ.get(names.CODE):
        from .compiled import Compiled

        compiled = Compiled()
        with open(os.environ[names.CODE], "rb") as file:
            compiled.unpack(file.read())
        compiled.install()


def _request() -> Dict[str, Any]:
    with open(0, "rb", closefd=False) as file:
        request: Dict[str, Any] = json.load(file)
    return request


def pytest_addoption(pluginmanager: Any) -> None:
    """The first hook that pytest calls, before any conftest is imported."""
    _ignore_bytecode()
    _use_code()
    pluginmanager.register(Probe(_request(), Report(names.REPORT_FD)), "featuredel")
