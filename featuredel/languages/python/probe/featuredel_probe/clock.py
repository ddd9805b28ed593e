"""The end of a test that does not end, and the pauses that show which tests depend on the clock."""

import random
import signal
from time import sleep  # by name: tests replace the attribute of the module
from typing import Any, Callable

INTERVAL_S = 1.0
PATIENCE = 10
"""A test may swallow its time-out this often; then the process ends."""

STALL_EVERY_S = 0.1
STALL_S = 0.06
FIRST_STALL_S = (0.002, 0.03)


class TestTimeout(BaseException):
    """A test ran out of time. Not an `Exception`, which the test might catch."""

    __test__ = False


class Clock:
    """Raises `TestTimeout` in the main thread when a test's time is up.

    One timer counts CPU time, one wall time. Timers belong to the process and handlers to the
    main thread, so neither adds a thread that a test could count or that makes a fork warn. A
    test that blocks in C is left to the limit of the whole run.
    """

    def __init__(self, limit_s: float, stalls: bool, give_up: Callable[[], None]) -> None:
        """`give_up` is called when a test keeps swallowing its time-out."""
        self.limit_s = limit_s
        self.fired = 0
        self.inside = False  # the test's own code runs, not pytest's between its phases
        self._stalls = random.Random(0) if stalls else None  # noqa: S311 -- no secret
        self._left = 0
        self._give_up = give_up

    def arm(self) -> None:
        """Start both timers; tests that used the signals themselves lose them here."""
        self.fired = 0
        for number, handler in ((signal.SIGALRM, self._on_wall), (signal.SIGPROF, self._on_cpu)):
            if signal.getsignal(number) != handler:
                signal.signal(number, handler)
        signal.setitimer(signal.ITIMER_PROF, self.limit_s, INTERVAL_S)
        if self._stalls is None:
            self._left = 0
            signal.setitimer(signal.ITIMER_REAL, self.limit_s, INTERVAL_S)
        else:
            self._left = int(self.limit_s / STALL_EVERY_S)
            signal.setitimer(
                signal.ITIMER_REAL, self._stalls.uniform(*FIRST_STALL_S), STALL_EVERY_S
            )

    def disarm(self) -> None:
        """Stop both timers."""
        self.inside = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _on_wall(self, _number: int, _frame: Any) -> None:
        if self._left > 0:
            self._left -= 1
            sleep(STALL_S)
        else:
            self._ring()

    def _on_cpu(self, _number: int, _frame: Any) -> None:
        self._ring()

    def _ring(self) -> None:
        self.fired += 1
        if self.fired > PATIENCE:
            self._give_up()
        if self.inside:
            raise TestTimeout("no end after %g s" % self.limit_s)
