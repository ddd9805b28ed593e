"""The speed benchmark on figures written by hand; end_to_end has the whole of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import candidates
import pytest

from bench.speed import ratios, verdicts
from bench.speed.bounds import bounds
from bench.speed.cold import Cold, passed_in, run_cold
from bench.speed.measure import Measured
from bench.speed.meter import metered
from bench.speed.project import Made, Project
from bench.speed.screening import Screening
from bench.speed.shelf import Shelf
from bench.speed.suites import Suite
from bench.speed.tasks import Arm, Forged
from bench.speed.workers import Memory, Workers, looping, run_jobs
from featuredel.config import RepositorySpec, Settings
from featuredel.model import HiddenFile, Index, Mined, TestId
from featuredel.sandbox import ExecResult
from featuredel.sources import parse_source


def cold(*failing: str, **changes: Any) -> Cold:
    return replace(Cold(list(failing), cpu_s=10.0, wall_s=10.0, cut=False), **changes)


def forged(name: str, outcome: str = "accepted", **changes: Any) -> Forged:
    one = Forged(
        name, outcome, True, False, f2p=["a"], excluded=[],
        spent={"delete": 1.0, "narrow": 2.0, "validate/visible suite": 9.0, "validate/static": 4.0},
        wall_s=20.0, cold=["a"], unsettled=[],
    )  # fmt: skip
    return replace(one, **changes)


def measured(**changes: Any) -> Measured:
    """Two candidates, one of them run cold, and one task; nothing differs."""
    screening = Screening(1.0, 2.0, failing=[["a"], ["b"]], how=["group", "memory"])
    whole = Measured(
        "toy", 3,
        (Suite("3.13.0", cpu_s=8.0, wall_s=8.0, told_cpu_s=8.0, map_cpu_s=9.0, restless=[]),),
        Made(["one", "two"], [["a", "c"], ["b"]], 2, 0, 1.0, [0.2, 0.4], []),
        {0: cold("a")}, {}, screening, screening, Arm([forged("one")]), Arm([forged("one")]),
    )  # fmt: skip
    return replace(whole, **changes)


def failing_of(*failing: list[str]) -> Screening:
    return replace(measured().single, failing=list(failing))


# --- verdicts ------------------------------------------------------------------------------


def test_nothing_differs() -> None:
    assert list(verdicts.differences(measured())) == []


def test_screening_misses_and_adds() -> None:
    (line,) = verdicts.differences(measured(single=failing_of(["c"], ["b"])))
    assert line == "toy: one: screened one by one (group): misses 1 (a); adds 1 (c)"


def test_groups_alone_are_wrong() -> None:
    seen = measured(groups=failing_of(["a"], []), cold={0: cold("a"), 1: cold("b")})
    (line,) = verdicts.differences(seen)
    assert line == "toy: two: screened in groups (memory): misses 1 (b); adds none"


def test_what_cold_runs_disagree_on_is_left_out() -> None:
    seen = measured(single=failing_of(["c"], ["b"]), groups=failing_of(["c"], ["b"]))
    assert len(list(verdicts.differences(seen))) == 2
    assert list(verdicts.differences(replace(seen, again={0: cold("c")}))) == []


def test_what_no_line_is_known_to_reach_is_told_apart() -> None:
    seen = measured(cold={0: cold("a", "b")})
    assert list(verdicts.differences(seen)) == []
    assert verdicts.outside(seen) == {0: {"b"}}


@pytest.mark.parametrize(
    ("failing", "told"),
    [
        (["a", "b"], "toy: one: P2P that fail cold: 1 (b)"),
        ([], "toy: one: F2P that pass cold: 1 (a)"),
    ],
)
def test_a_task_that_is_otherwise_cold(failing: list[str], told: str) -> None:
    assert list(verdicts.differences(measured(full=Arm([forged("one", cold=failing)])))) == [told]


def test_what_is_excluded_from_p2p_may_fail() -> None:
    arm = Arm([forged("one", cold=["a", "b"], excluded=["b"])])
    assert list(verdicts.differences(measured(full=arm, affected=arm))) == []


def test_confirmations_that_differ() -> None:
    rejected = Arm([forged("one", "validate: unstable")])
    (outcome,) = verdicts.differences(measured(affected=rejected))
    assert outcome == "toy: one: full: accepted; affected: validate: unstable"
    (f2p,) = verdicts.differences(measured(affected=Arm([forged("one", f2p=["a", "b"])])))
    assert f2p == "toy: one: full and affected: 1 (b)"
    (alone,) = verdicts.differences(measured(affected=Arm([])))
    assert alone == "toy: one: decided with one kind of confirmation alone"


def test_tasks_beyond_those_confirmed_in_full_are_compared_with_cold_runs() -> None:
    good, bad = forged("two", cold=["a"]), forged("three", cold=["a", "b"])
    assert list(verdicts.differences(measured(affected=Arm([forged("one"), good])))) == []
    (broken,) = verdicts.differences(measured(affected=Arm([forged("one"), bad])))
    assert broken == "toy: three: P2P that fail cold: 1 (b)"


# --- sums ----------------------------------------------------------------------------------


def test_a_candidate() -> None:
    cost = ratios.candidates(measured())
    assert cost.times == (20, 20)  # ten seconds, against one for both
    assert cost.discover_s == 0.5
    assert cost.delete_s == pytest.approx(0.3)


def test_wrong_verdicts_count_for_nothing() -> None:
    seen = measured(single=failing_of(["c"], ["b"]), cold={0: cold("a"), 1: cold("b")})
    assert ratios.candidates(seen).times == (10, 20)


def test_a_run_that_was_cut_off_is_in_no_mean() -> None:
    seen = measured(cold={0: cold("a"), 1: cold("b", cpu_s=900.0, cut=True)})
    assert ratios.cold_s(seen) == 10


def test_a_task_pays_for_the_rejected() -> None:
    arm = Arm([forged("one"), forged("two", "delete: nothing left", tried=False), forged("three")])
    cost = ratios.per_task(arm, 10.0)
    assert (cost.accepted, cost.tried) == (2, 2)
    assert (cost.screening_s, cost.gates_s, cost.whole_s) == (16.5, 22.5, 24)
    assert cost.peers_s == 10
    assert ratios.per_task(replace(arm, wasted_s=4.0), 10.0).screening_s == 18.5


# --- what is asked ---------------------------------------------------------------------------


def test_what_is_asked() -> None:
    large = measured(full=Arm([forged("one", cold=[])]))
    workers = Workers(2, wall_s=[10.0, 4.0], loops_s=[2.0, 1.0])
    asked = list(bounds([measured(), large], Memory(3 << 30), workers))
    assert {one.what: one.measured for one in asked if not one.holds} == {
        "toy: screening against cold runs": "20",  # of the tiny one, where more is asked
        "toy: screening and confirmation of a task, in suites": "1.38",
        "toy: `confirm: affected` against the peers' way": "0.91",
        "toy: discovery and deletion of a candidate, ms": "800",
        "toy: memory of a worker, GB": "3",
        "candidates compared with cold runs": "2",
        "verdicts that differ": "1",
    }
    assert [one.measured for one in asked if one.what.startswith("two workers")] == ["2.50"]


# --- what a cold run says ------------------------------------------------------------------


def test_the_summary_is_read() -> None:
    lines = (
        "PASSED t.py::a", "PASSED t.py::b[x - y]", "PASSED t.py::c", "FAILED t.py::d - assert 0",
        "ERROR t.py::b[x - y] - tear-down", "3 passed, 1 failed",
    )  # fmt: skip
    result = ExecResult(1, "exited", "\n".join(lines).encode(), b"", b"", 0.0, 0.0)
    tests = tuple(TestId(f"t.py::{name}") for name in ("a", "b[x - y]", "d", "e"))
    assert passed_in(result, tests) == {"t.py::a"}


def test_a_test_of_which_a_part_failed_did_not_pass() -> None:
    told = b"PASSED t.py::T::a\nPASSED t.py::T::b\nPASSED t.py::c\n"
    told += b"SUBFAILED(i=0, t='x - y') t.py::T::a - AssertionError: 0 != 1\n"
    told += b"SUBFAILED[a message] t.py::T::b\n"
    result = ExecResult(1, "exited", told, b"", b"", 0.0, 0.0)
    tests = tuple(map(TestId, ("t.py::T::a", "t.py::T::b", "t.py::c")))
    assert passed_in(result, tests) == {"t.py::c"}


def project(work: Path) -> Project:
    """Return a project whose candidate is calc's `mul`."""
    tree = candidates.snapshot(work / "snapshot")
    environment, baseline = candidates.this_environment(), candidates.baseline()
    mined = Mined(tree, environment, baseline, Index({}, (), frozenset()), ())
    return Project(any_spec(), work, mined, (), 1)


def any_spec() -> RepositorySpec:
    return RepositorySpec("calc", "calc", parse_source("calc", Path("/nowhere")))


@pytest.mark.sandbox
def test_a_cold_run(tmp_path: Path) -> None:
    with metered(Settings(), tmp_path) as meter:
        seen = run_cold(project(tmp_path), candidates.deletion(), meter, 10.0)
    assert seen.failing == list(candidates.REACHED)
    assert not seen.cut and seen.cpu_s > 0


@pytest.mark.sandbox
def test_a_cold_run_that_loops_is_told_with_a_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.speed.cold.GRACE_S", 2.0)
    loops = candidates.HIDDEN.replace(b"        raise ImportError", b"        while True: pass\n#")
    hidden = (HiddenFile("tests/test_more.py", 0o100644, loops),)
    with metered(Settings(), tmp_path) as meter:
        seen = run_cold(project(tmp_path), candidates.deletion(hidden_files=hidden), meter, 0.1)
    assert seen.cut
    assert seen.failing == list(candidates.REACHED)


# --- the rest ------------------------------------------------------------------------------


def test_what_was_measured_is_not_measured_again(tmp_path: Path) -> None:
    calls: list[int] = []

    def measure() -> Cold:
        calls.append(1)
        return cold("a")

    shelf = Shelf(tmp_path)
    rows = [shelf.row(Cold, "toy", key, measure) for key in (1, 1, 2)]
    assert rows == [cold("a")] * 3
    assert len(calls) == 2


def test_workers_share_the_jobs() -> None:
    peaks: list[int] = []
    assert run_jobs(2, looping, [("toy", number) for number in range(4)], peaks) > 0
    assert max(peaks) > 1 << 20
