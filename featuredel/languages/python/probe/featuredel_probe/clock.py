"""The end of a test that does not end: a timer of CPU time and one of wall time."""

import signal
from typing import Any, Callable

INTERVAL_S = 1.0
PATIENCE = 10
"""A test may swallow its time-out this often; then the process ends."""


class TestTimeout(BaseException):
    """A test ran out of time. Not an `Exception`, which the test might catch."""

    __test__ = False


class Clock:
    """Raises `TestTimeout` in the main thread when a test's time is up.

    Timers belong to the process and handlers to the main thread, so neither adds a thread that
    a test could count or that makes a fork warn. A test that blocks in C is left to the limit
    of the whole run.
    """

    def __init__(self, limit_s: float, give_up: Callable[[], None]) -> None:
        """`give_up` is called when a test keeps swallowing its time-out."""
        self.limit_s = limit_s
        self.fired = 0
        self.inside = False  # the test's own code runs, not pytest's between its phases
        self._give_up = give_up

    def arm(self) -> None:
        """Start both timers; tests that used the signals themselves lose them here."""
        self.fired = 0
        for number in (signal.SIGALRM, signal.SIGPROF):
            if signal.getsignal(number) != self._ring:
                signal.signal(number, self._ring)
        signal.setitimer(signal.ITIMER_REAL, self.limit_s, INTERVAL_S)
        signal.setitimer(signal.ITIMER_PROF, self.limit_s, INTERVAL_S)

    def disarm(self) -> None:
        """Stop both timers."""
        self.inside = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _ring(self, _number: int, _frame: Any) -> None:
        self.fired += 1
        if self.fired > PATIENCE:
            self._give_up()
        if self.inside:
            raise TestTimeout("no end after %g s" % self.limit_s)
