"""Validating: the visible suite, and what the reward is worth."""

from pathlib import Path
from typing import Any

from candidates import (
    EDITS,
    REACHED,
    TESTS,
    NoSandbox,
    ScriptedPython,
    baseline,
    by_names,
    deletion,
    environment,
    language,
    snapshot,
)
from validating import evidence, refused, run

from featuredel.config import Settings
from featuredel.model import Outcome, SetAside, TestId
from featuredel.stages.validate import validate

ADD, _MUL, _MUL_ZERO, NEG = TESTS


def test_a_deletion_that_breaks_another_test(tmp_path: Path) -> None:
    def broken(test: TestId, tree: Any) -> Outcome:
        gone = b"mul" not in b"".join(tree.values())
        return "failed" if test == ADD and gone else by_names(test, tree)

    error = refused(tmp_path, ScriptedPython(play=broken))
    assert error.reason == "the deletion breaks other tests"
    assert ADD in error.detail and "AssertionError" in error.detail


def test_one_that_passes_alone_is_unstable(tmp_path: Path) -> None:
    scripted = ScriptedPython()

    def in_company(test: TestId, tree: Any) -> Outcome:
        if test == ADD and scripted.requests[-1].ids is None:
            return "timeout"
        return by_names(test, tree)

    scripted.play = in_company
    verdict = run(tmp_path, scripted)
    assert verdict.p2p_excluded == (ADD,)
    assert evidence(verdict, "visible suite")["unstable"] == [ADD]


def test_a_hidden_test_that_is_still_visible(tmp_path: Path) -> None:
    scripted = ScriptedPython(collected=lambda tree: TESTS)
    assert refused(tmp_path, scripted).reason == "a hidden test is still in the visible tree"


def test_a_retained_test_that_is_gone(tmp_path: Path) -> None:
    edits = {**EDITS, "tests/test_more.py": b"X = 1\n"}
    error = refused(tmp_path, removed=deletion(edits=edits))
    assert error.reason == "retained tests are gone from the visible tree"
    assert NEG in error.detail


def test_a_test_that_the_snapshot_has_not(tmp_path: Path) -> None:
    more = b"\n\ndef test_more():\n    assert True\n"
    edits = {**EDITS, "tests/test_more.py": (EDITS["tests/test_more.py"] or b"") + more}
    scripted = ScriptedPython(play=lambda t, tree: "passed" if "more()" in t else by_names(t, tree))
    error = refused(tmp_path, scripted, deletion(edits=edits))
    assert error.reason == "the visible tree has tests that the snapshot has not"


def test_ids_that_never_were_stable_may_change(tmp_path: Path) -> None:
    def collected(tree: Any) -> tuple[TestId, ...]:
        kept = TESTS if b"test_mul" in tree["tests/test_more.py"] else (ADD, NEG)
        return (*kept, TestId("tests/test_more.py::test_clock[12:01]"))

    scripted = ScriptedPython(
        collected=collected,
        play=lambda t, tree: "passed" if "clock" in t else by_names(t, tree),
    )
    clock = SetAside(TestId("tests/test_more.py::test_clock[11:59]"), "unstable", "gone")
    (tmp_path / "work").mkdir()
    verdict = validate(
        snapshot(tmp_path / "snapshot"), environment(), baseline(set_aside=(clock,)), deletion(),
        language(scripted), NoSandbox(), Settings(), tmp_path / "work",
    )  # fmt: skip
    assert verdict.f2p == REACHED


# --- what the reward is worth --------------------------------------------------------------


def test_a_trivial_solver_that_passes(tmp_path: Path) -> None:
    def lenient(test: TestId, tree: Any) -> Outcome:
        there = b"def mul" in b"".join(tree.values())
        return "passed" if there or test not in REACHED else "failed"

    error = refused(tmp_path, ScriptedPython(play=lenient))
    assert error.reason == "a trivial solver passes"
    assert "2 of 2" in error.detail


def test_a_trivial_solver_is_run_until_it_cannot_pass(tmp_path: Path) -> None:
    python = ScriptedPython()
    verdict = run(tmp_path, python, max_trivial_share=0.1)
    asked = [request.stop_after_failures for request in python.requests if request.order == "asked"]
    assert set(asked) == {1, 2}  # of mutants, of solvers
    turned = evidence(verdict, "trivial solvers")["turned"]
    assert set(turned.values()) == {0}


def test_weak_tests_are_measured_not_refused(tmp_path: Path) -> None:
    def weak(test: TestId, tree: Any) -> Outcome:
        text = b"".join(tree.values())
        if test in REACHED and b"def mul" in text:
            return "failed" if b"return None" in text or b"raise" in text else "passed"
        return by_names(test, tree)

    verdict = run(tmp_path, ScriptedPython(play=weak), max_trivial_share=1.0)
    assert verdict.mutants == 2  # another operator, and None
    assert verdict.reward_strength == 0.5


def test_no_mutants_no_strength(tmp_path: Path) -> None:
    assert run(tmp_path, mutants=0).reward_strength is None
