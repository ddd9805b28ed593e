"""Processor time, of this process and of what runs in its sandbox, and where it goes."""

import contextlib
import resource
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from featuredel.config import Settings
from featuredel.pipeline import Ledger, Tools
from featuredel.sandbox import Sandbox
from featuredel.sandbox.table import open_sandbox


@dataclass(slots=True)
class Meter:
    """A sandbox of its own, and a clock over all that is done through it."""

    sandbox: Sandbox  # adds up what runs in it
    ledger: Ledger

    def cpu_s(self) -> float:
        """Return what this process and the sandbox have used so far."""
        own = resource.getrusage(resource.RUSAGE_SELF)
        return own.ru_utime + own.ru_stime + self.ledger.sandbox.cpu_s


@contextlib.contextmanager
def metered(settings: Settings, work: Path) -> Iterator[Meter]:
    """Yield a meter on a sandbox that was not used before, and end what still runs in it."""
    with contextlib.closing(open_sandbox(settings.sandbox)) as shared:
        ledger = Ledger("speed", "speed", Tools(shared, settings, work))
        yield Meter(ledger.sandbox, ledger)


@dataclass(slots=True)
class Laps:
    """What each part took, told as the parts begin."""

    meter: Meter
    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    part: str = ""
    since: float = 0.0

    def begin(self, part: str) -> None:
        """Charge what was used since the last part began to that one."""
        now = self.meter.cpu_s()
        if self.part:
            self.spent[self.part] += now - self.since
        self.part, self.since = part, now

    def end(self) -> dict[str, float]:
        """Return CPU seconds by part."""
        self.begin("")
        return dict(self.spent)


def own_cpu_s() -> float:
    """Return what this process and the programs that it called have used, without a sandbox."""
    times = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in times)


@contextlib.contextmanager
def timed(meter: Meter) -> Iterator[list[float]]:
    """Yield a list that holds CPU and wall seconds at the end."""
    took: list[float] = []
    cpu_s, wall_s = meter.cpu_s(), time.monotonic()
    yield took
    took += [meter.cpu_s() - cpu_s, time.monotonic() - wall_s]
