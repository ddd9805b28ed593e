"""The stage on runs written by hand; no sandbox."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.model import (
    Baseline,
    Environment,
    Lines,
    Snapshot,
    TestId,
    TestRequest,
    TestResult,
    TestRun,
)
from featuredel.stages.baseline import baseline, restricted

A, B, C, D = (TestId(f"t.py::{name}") for name in "abcd")
FIXED = {A: "passed", B: "passed"}
SNAPSHOT = Snapshot("toy", "path", "", None, None, "MIT", "0" * 40, Path("/tree"))
ENVIRONMENT = Environment(
    id="0" * 16, interpreter="3.13.0", prefix=Path("/env"), home=Path("/python"),
    lock=(), build=(), products=None, test_roots=(),
)  # fmt: skip

Script = Callable[[TestRequest], TestRun]


@dataclass
class Scripted:
    """A language whose runs are made by a function; its sandbox only passes the request on."""

    script: Script
    requests: list[TestRequest] = field(default_factory=list)
    name: str = "scripted"

    def test_command(self, environment: Any, layers: Any, request: TestRequest) -> TestRequest:
        assert layers == (SNAPSHOT.root,)
        return request

    def run(self, command: TestRequest) -> TestRequest:
        self.requests.append(command)
        return command

    def test_run(self, request: TestRequest, result: Any) -> TestRun:
        return self.script(request)


def run_of(outcomes: Mapping[TestId, str], ended: str = "finished", **changes: Any) -> TestRun:
    results = {test: TestResult(o, 0.5, "why") for test, o in outcomes.items()}  # type: ignore[arg-type]
    tests = tuple(sorted(outcomes))
    lines = Lines(tests, {"x.py": {1: (1 << len(tests)) - 1, 2: 1}}, {"x.py": frozenset({3})})
    run = TestRun(results, {}, ended, "the detail", 2.0, 3.0, lines)  # type: ignore[arg-type]
    return replace(run, **changes)


def baseline_of(script: Script, **settings: Any) -> tuple[Baseline, list[TestRequest]]:
    language: Any = Scripted(script)
    found = baseline(SNAPSHOT, ENVIRONMENT, language, language, Settings(**settings))
    return found, language.requests


def kinds(found: Baseline) -> dict[str, str]:
    return {one.id: one.kind for one in found.set_aside}


def test_runs_in_three_orders_with_three_seeds_and_stalls_once() -> None:
    found, requests = baseline_of(lambda request: run_of(FIXED), seed=5)
    assert [(r.order, r.seed, r.collect_lines, r.stalls) for r in requests] == [
        ("given", 5, True, False),
        ("reversed", 6, False, False),
        ("shuffled", 7, False, True),
    ]
    assert found.tests == (A, B)
    assert found.durations_s == (0.5, 0.5)
    assert found.set_aside == ()
    assert found.lines.tests == found.tests


def test_what_never_passes_is_failing_and_what_is_skipped_is_skipped() -> None:
    outcomes = {A: "passed", B: "failed", C: "skipped", D: "xfailed"}
    found, _ = baseline_of(lambda request: run_of(outcomes))
    assert kinds(found) == {B: "failing", C: "skipped", D: "skipped"}
    assert found.set_aside[0].reason == "failed: why"
    assert found.lines.reached == {"x.py": {1: 1, 2: 1}}


def test_what_fails_again_in_the_same_order_depends_on_it() -> None:
    def script(request: TestRequest) -> TestRun:
        return run_of({A: "passed", B: "failed" if request.order == "reversed" else "passed"})

    found, requests = baseline_of(script)
    assert kinds(found) == {B: "order-dependent"}
    assert len(requests) == 4
    assert "reversed" in found.set_aside[0].reason


def test_what_fails_once_or_only_when_stalled_is_unstable() -> None:
    def script(request: TestRequest) -> TestRun:
        return run_of({A: "passed", B: "failed" if request.stalls else "passed"})

    found, requests = baseline_of(script)
    assert kinds(found) == {B: "unstable"}
    assert (requests[-1].order, requests[-1].stalls) == ("shuffled", False)


def test_what_fails_first_and_passes_later_is_unstable() -> None:
    found, _ = baseline_of(
        lambda r: run_of({A: "passed", B: "failed" if r.order == "given" else "passed"})
    )
    assert kinds(found) == {B: "unstable"}


def test_ids_that_change_are_unstable() -> None:
    found, _ = baseline_of(lambda r: run_of({A: "passed", TestId(f"t.py::x[{r.seed}]"): "passed"}))
    assert kinds(found) == {f"t.py::x[{seed}]": "unstable" for seed in range(3)}
    assert "id" in found.set_aside[0].reason


def test_ids_that_are_no_text_are_set_aside() -> None:
    found, _ = baseline_of(lambda request: run_of({A: "passed", TestId("t.py::\udc80"): "passed"}))
    assert kinds(found) == {"t.py::\\udc80": "unstable"}


def test_a_test_that_ends_the_run_is_set_aside_and_the_others_run_again() -> None:
    def script(request: TestRequest) -> TestRun:
        if request.ids is None:
            return run_of({A: "passed", B: "error", C: "absent"}, "crashed", last=B)
        assert B not in request.ids
        return run_of(dict.fromkeys(request.ids, "passed"))

    found, requests = baseline_of(script)
    assert found.tests == (A, C)
    assert kinds(found) == {B: "failing"}
    assert [request.ids for request in requests] == [None, (A, C), (A, C), (A, C)]


def test_a_test_that_is_late_is_slow_and_runs_no_more() -> None:
    def script(request: TestRequest) -> TestRun:
        every = {A: "passed", B: "timeout"}
        return run_of({test: every[test] for test in request.ids or every})

    found, requests = baseline_of(script)
    assert kinds(found) == {B: "slow"}
    assert requests[-1].ids == (A,)


def test_test_files_that_cannot_be_imported_are_named() -> None:
    found, _ = baseline_of(lambda request: run_of(FIXED, collection_errors={"u.py": "E: x"}))
    assert [(one.id, one.kind, one.reason) for one in found.set_aside] == [
        ("u.py", "failing", "collection: E: x")
    ]


@pytest.mark.parametrize(
    ("run", "reason", "told"),
    [
        (run_of({}), "no tests found", "'test'"),
        (run_of({}, collection_errors={"t.py": "E: x"}), "collection fails", "t.py: E: x"),
        (run_of({}, "crashed"), "collection fails", "the detail"),
        (run_of({A: "failed", B: "failed"}), "no stable passing tests", "2 failing"),
        (run_of({}, "timeout"), "suite hangs", "collection"),
        (run_of({A: "passed", B: "absent"}, "timeout"), "suite too slow", "1 of 2"),
        (run_of({A: "passed", B: "absent"}, "crashed"), "suite crashes", "the detail"),
        (run_of({A: "timeout", B: "absent"}, "timeout", last=A), "suite hangs", "t.py::a"),
    ],
)
def test_unfit_suites_are_rejected_with_what_to_do(run: TestRun, reason: str, told: str) -> None:
    with pytest.raises(Rejected) as caught:
        baseline_of(lambda request: run)
    assert caught.value.reason == reason
    assert told in caught.value.detail


def test_restricted_moves_the_bits_of_what_stays() -> None:
    lines = Lines((A, B, C, D), {"x.py": {1: 0b1010, 2: 0b0001}, "y.py": {1: 0b0001}}, {})
    kept = restricted(lines, [B, D])
    assert kept.tests == (B, D)
    assert kept.reached == {"x.py": {1: 0b11}}
