"""What the speed is held to, and what was measured. The first project is the tiny one, the last
the large one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.speed import ratios
from bench.speed.measure import Measured
from bench.speed.verdicts import differences
from bench.speed.workers import Memory, Workers

MONITORING = (3, 12)
"""The first CPython that tells cheaply which lines run."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One thing that is asked, on one project or on all."""

    what: str
    asked: str
    measured: str
    holds: bool


def bounds(
    all_measured: Sequence[Measured], memory: Memory, workers: Workers
) -> Iterator[Bound]:  # fmt: skip
    """Yield everything that is asked."""
    for number, measured in enumerate(all_measured):
        yield from _suites(measured)
        times = max(ratios.candidates(measured).times)
        yield _least(f"{measured.name}: screening against cold runs", times, 20 if number else 40)
        full = ratios.per_task(measured.full, ratios.cold_s(measured))
        suite_s = measured.suite.cpu_s
        screening, gates = full.screening_s / suite_s, full.gates_s / suite_s
        yield _most(
            f"{measured.name}: screening and confirmation of a task, in suites", screening, 1.3
        )
        yield _most(f"{measured.name}: and every other gate, in suites", gates, 2)
    large = all_measured[-1]
    affected = ratios.per_task(large.affected, ratios.cold_s(large))
    times = affected.peers_s / affected.screening_s
    yield _least(f"{large.name}: `confirm: affected` against the peers' way", times, 8)
    cost = ratios.candidates(large)
    ms = 1000 * (cost.discover_s + cost.delete_s)
    yield _most(f"{large.name}: discovery and deletion of a candidate, ms", ms, 300)
    yield _most(f"{large.name}: memory of a worker, GB", memory.peak_bytes / 2**30, 2)
    yield _least("two workers against one", workers.wall_s[0] / workers.wall_s[1], 1.7)
    yield _least("candidates compared with cold runs", sum(len(m.cold) for m in all_measured), 200)
    yield _most("verdicts that differ", sum(1 for m in all_measured for _ in differences(m)), 0)


def _suites(measured: Measured) -> Iterator[Bound]:
    for suite in measured.suites:
        if suite.interpreter:
            minor = tuple(map(int, suite.interpreter.split(".")[:2]))
            most = 1.25 if minor >= MONITORING else 3
            what = f"{measured.name}: map of lines on {suite.interpreter}, in suites"
            yield _most(what, ratios.map_ratio(suite), most)


def _least(what: str, measured: float, bound: float) -> Bound:
    return Bound(what, f"at least {bound:g}", _number(measured), measured >= bound)


def _most(what: str, measured: float, bound: float) -> Bound:
    return Bound(what, f"at most {bound:g}", _number(measured), measured <= bound)


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 10 and value % 1 else f"{value:.0f}"
