"""The plugin of runs without featuredel: it sees tests as the probe does, and prints a line each.

It needs only the modules beside it that it imports. PYTEST_DONT_REWRITE
"""

import json
import os
from typing import Any, Dict, Generator, List

import pytest

from . import generated, outcomes, selection
from .clock import Clock

MAX_TIMEOUTS = 3
ASIDE = os.path.join(os.path.dirname(__file__), "aside.json")  # tests that are not to be run
LIMIT_S = float(os.environ.get("FEATUREDEL_LIMIT_S", "60"))

_wrapper = pytest.hookimpl(hookwrapper=True, tryfirst=True)
_words = {"passed": "PASSED", "failed": "FAILED", "error": "FAILED", "timeout": "FAILED"}
_results: Dict[str, outcomes.Result] = {}
_clock = Clock(LIMIT_S, LIMIT_S, False, lambda: os._exit(70))


@_wrapper
def pytest_load_initial_conftests(parser: Any, args: List[str]) -> Generator[None, Any, None]:
    """Options of plugins that are not here must not end the run."""
    yield
    selection.drop_unknown_options(args, parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: Any) -> None:
    """Have examples that are drawn be the same each time."""
    config.option.maxfail = 0
    if hasattr(config.option, "hypothesis_seed"):
        config.option.hypothesis_seed = "0"


@_wrapper
def pytest_collection_modifyitems(items: List[Any]) -> Generator[None, Any, None]:
    """Leave out what is set aside."""
    yield
    with open(ASIDE) as file:
        aside = set(json.load(file))
    items[:] = [item for item in items if item.nodeid not in aside]
    generated.ignore_the_clock(items)


@_wrapper
def pytest_runtest_protocol(item: Any) -> Generator[None, Any, None]:
    """End a test that takes too long, and the run when there are many."""
    _results.setdefault(item.nodeid, outcomes.Result())
    _clock.arm()
    try:
        yield
    finally:
        _clock.disarm()
        if _clock.fired:
            _results[item.nodeid].set("timeout", "")
        late = [one for one in _results.values() if one.outcome == "timeout"]
        if len(late) >= MAX_TIMEOUTS:
            item.session.shouldstop = "too many timeouts"


@_wrapper
def pytest_runtest_setup() -> Generator[None, Any, None]:
    """Let the clock end what fixtures do."""
    _clock.inside = True
    yield
    _clock.inside = False


@_wrapper
def pytest_runtest_call() -> Generator[None, Any, None]:
    """Let the clock end a test."""
    _clock.inside = True
    yield
    _clock.inside = False


@_wrapper
def pytest_runtest_teardown() -> Generator[None, Any, None]:
    """Let the clock end what fixtures do afterwards."""
    _clock.inside = True
    yield
    _clock.inside = False


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: Any) -> None:
    """Note what became of a phase or a subtest."""
    if report.nodeid in _results:
        _results[report.nodeid].add(report)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: Any) -> None:
    """Print the lines; what was skipped or is expected to fail has none."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    reporter.write_line("")  # ends that of the progress
    for test, result in _results.items():
        if result.outcome in _words:
            reporter.write_line("%s %s" % (_words[result.outcome], test))
