"""A pytest plugin by itself: a test that does not end fails, so that the others are seen too.

For runs without the probe, whose clock does this and more. PYTEST_DONT_REWRITE
"""

import contextlib
import os
import signal
from typing import Any, Iterator

import pytest

LIMIT_S = float(os.environ["FEATUREDEL_LIMIT_S"])
AGAIN_S = 1.0  # a test may swallow it
_wrapper = pytest.hookimpl(hookwrapper=True, tryfirst=True)


class TooLong(BaseException):
    """Not an `Exception`, which the test might catch."""


def _ring(_number: int, _frame: Any) -> None:
    raise TooLong("no end after %g s" % LIMIT_S)


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S, AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@_wrapper
def pytest_runtest_setup() -> Iterator[None]:
    """Limit what fixtures do before a test."""
    with _limited():
        yield


@_wrapper
def pytest_runtest_call() -> Iterator[None]:
    """Limit a test."""
    with _limited():
        yield


@_wrapper
def pytest_runtest_teardown() -> Iterator[None]:
    """Limit what fixtures do after a test."""
    with _limited():
        yield
