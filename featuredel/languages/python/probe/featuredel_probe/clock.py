"""The end of a test that does not end, and the pauses that show which tests depend on the clock."""

import random
import signal
from time import CLOCK_MONOTONIC, clock_gettime, sleep  # by name: tests replace attributes
from typing import Any, Callable, Optional

INTERVAL_S = 1.0
TOLERANCE_S = 0.01
PATIENCE = 10
"""A test may swallow its time-out this often; then the process ends."""

STALL_EVERY_S = 0.02
FIRST_STALL_S = (0.002, 0.02)
STALL_S = 0.01  # the first of a test; each is longer than the one before by as much
MAX_STALL_S = 0.25
TEST_STALLS_S = 2.0
RUN_STALLS_S = 60.0


class TestTimeout(BaseException):
    """A test ran out of time. Not an `Exception`, which the test might catch."""

    __test__ = False


class Clock:
    """Raises `TestTimeout` in the main thread when a test's time is up.

    One timer counts CPU time, one wall time. Timers belong to the process and handlers to the
    main thread, so neither adds a thread that a test could count or that makes a fork warn. A
    test that blocks in C is left to the limit of the whole run.
    """

    def __init__(
        self, limit_s: float, cpu_limit_s: float, stalls: bool, give_up: Callable[[], None]
    ) -> None:
        """`give_up` is called when a test keeps swallowing its time-out."""
        self.limit_s = limit_s
        self.cpu_limit_s = cpu_limit_s
        self.fired = 0
        self.inside = False  # the test's own code runs, not pytest's between its phases
        self._source = random.Random(0)  # noqa: S311 -- no secret
        self._run_stalls_s = RUN_STALLS_S if stalls else 0.0
        self._test_stalls_s = 0.0
        self._stall_s = 0.0
        self._deadline_s = 0.0
        self._give_up = give_up

    def arm(self, cpu_limit_s: Optional[float] = None) -> None:
        """Start both timers; tests that used the signals themselves lose them here.

        `cpu_limit_s` is of this test, where it has one of its own.
        """
        self.fired = 0
        self._stall_s = 0.0
        self._test_stalls_s = min(TEST_STALLS_S, self._run_stalls_s)
        self._deadline_s = clock_gettime(CLOCK_MONOTONIC) + self.limit_s
        for number, handler in ((signal.SIGALRM, self._on_wall), (signal.SIGPROF, self._on_cpu)):
            if signal.getsignal(number) != handler:
                signal.signal(number, handler)
        signal.setitimer(signal.ITIMER_PROF, cpu_limit_s or self.cpu_limit_s, INTERVAL_S)
        first_s = self._source.uniform(*FIRST_STALL_S) if self._test_stalls_s else self.limit_s
        signal.setitimer(signal.ITIMER_REAL, first_s, INTERVAL_S)

    def disarm(self) -> None:
        """Stop both timers."""
        self.inside = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _on_wall(self, _number: int, _frame: Any) -> None:
        if self._test_stalls_s > 0 and clock_gettime(CLOCK_MONOTONIC) < self._deadline_s:
            self._stall()
        elif clock_gettime(CLOCK_MONOTONIC) >= self._deadline_s - TOLERANCE_S:
            self._ring()

    def _stall(self) -> None:
        """Pause, a little longer each time, so that no two spans of time stay comparable."""
        self._stall_s = min(self._stall_s + STALL_S, MAX_STALL_S)
        self._test_stalls_s -= self._stall_s
        self._run_stalls_s -= self._stall_s
        sleep(self._stall_s)
        if self._test_stalls_s > 0:
            signal.setitimer(signal.ITIMER_REAL, STALL_EVERY_S, INTERVAL_S)

    def _on_cpu(self, _number: int, _frame: Any) -> None:
        self._ring()

    def _ring(self) -> None:
        self.fired += 1
        if self.fired > PATIENCE:
            self._give_up()
        if self.inside:
            raise TestTimeout("no end after %g s" % self.limit_s)
