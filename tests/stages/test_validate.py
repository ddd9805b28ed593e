"""Validating: the gates before the visible suite."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from candidates import (
    EDITS,
    FILES,
    HIDDEN,
    REACHED,
    TESTS,
    ScriptedPython,
    by_names,
    deletion,
)
from validating import evidence, refused, run

from featuredel.errors import Rejected
from featuredel.gates.trial import gate
from featuredel.model import Deletion, HiddenFile, Outcome, TestId, TestResult, TestRun

ADD, MUL, MUL_ZERO, NEG = TESTS


def test_a_good_candidate(tmp_path: Path) -> None:
    verdict = run(tmp_path)
    assert verdict.f2p == REACHED
    assert verdict.p2p_excluded == ()
    assert {gate.outcome for gate in verdict.gates} == {"passed", "measured"}
    assert evidence(verdict, "fails without the feature")["reasons"] == {"AssertionError": 2}
    assert evidence(verdict, "null solver") == {"f2p": 2, "reward": 0.0}
    assert verdict.mutants > 0
    assert verdict.reward_strength == 1.0
    assert list((tmp_path / "work").iterdir()) == []


def test_the_same_candidate_gives_the_same_verdict(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    assert run(tmp_path / "one") == run(tmp_path / "two")


def test_evidence_has_sorted_keys() -> None:
    assert gate("x", b=1, a=[2]).evidence == '{"a": [2], "b": 1}'


# --- without running a test ----------------------------------------------------------------


def test_new_lint_faults_are_refused(tmp_path: Path) -> None:
    edits = {**EDITS, "calc/more.py": b"import os\n\n\ndef neg(a):\n    return minus(a)\n"}
    error = refused(tmp_path, removed=deletion(edits=edits))
    assert error.reason == "the edited files have new faults"
    assert "minus" in error.detail and "os" in error.detail


def test_an_edit_that_nothing_restores_is_refused(tmp_path: Path) -> None:
    error = refused(tmp_path, removed=deletion(edits={**EDITS, "tests/test_core.py": None}))
    assert error.reason == "an edit would not be restored"
    assert "tests/test_core.py" in error.detail


def test_a_module_that_no_longer_imports(tmp_path: Path) -> None:
    broken = ScriptedPython(import_failures={"calc/more.py": "NameError: name 'x'"})
    error = refused(tmp_path, broken)
    assert error.reason == "a module no longer imports"
    assert error.detail == "calc/more.py: NameError: name 'x'"


def test_a_module_that_never_imported(tmp_path: Path) -> None:
    known = {"calc/more.py": "ImportError: optional"}
    assert run(tmp_path, ScriptedPython(import_failures=known, known_failures=known)).f2p


# --- without the feature, and with it ------------------------------------------------------


def test_too_few_tests_fail(tmp_path: Path) -> None:
    error = refused(tmp_path, ScriptedPython(play=lambda *_: "passed"))
    assert error.reason == "too few tests fail without the feature"


def test_too_large_a_share_passes(tmp_path: Path) -> None:
    def half(test: TestId, tree: Any) -> Outcome:
        return "passed" if test == MUL_ZERO else by_names(test, tree)

    error = refused(tmp_path, ScriptedPython(play=half), min_tests=1, min_f2p_share=0.6)
    assert error.reason == "too large a share of the tests passes without the feature"
    assert MUL_ZERO in error.detail


def passes_anyway(named: TestId) -> Callable[..., Outcome]:
    return lambda test, tree: "passed" if test == named else by_names(test, tree)


def test_a_test_that_still_passes_and_names_the_feature_is_neither(tmp_path: Path) -> None:
    scripted = ScriptedPython(play=passes_anyway(MUL_ZERO))
    verdict = run(tmp_path, scripted, min_tests=1, min_f2p_share=0.5)
    assert (verdict.f2p, verdict.p2p_excluded) == ((MUL,), (MUL_ZERO,))


def test_a_test_that_still_passes_and_does_not_name_the_feature_is_p2p(tmp_path: Path) -> None:
    removed = deletion()
    feature = replace(removed.feature, tests=(MUL, MUL_ZERO, NEG))
    removed = replace(removed, feature=feature, hidden_tests=(MUL, MUL_ZERO))
    verdict = run(tmp_path, removed=removed, min_f2p_share=0.6)
    assert (verdict.f2p, verdict.p2p_excluded) == (REACHED, ())


def test_a_hidden_module_that_does_not_load(tmp_path: Path) -> None:
    dead = ScriptedPython(collection_errors={"tests/test_more.py": "ImportError: mul"})
    error = refused(tmp_path, dead)
    assert error.reason == "a hidden test module does not load without the feature"


def test_a_module_of_nothing_but_the_features_tests_may_die(tmp_path: Path) -> None:
    removed = deletion()
    feature = replace(removed.feature, tests=TESTS[1:])
    removed = replace(removed, feature=feature, hidden_tests=TESTS[1:])
    dead = ScriptedPython(collection_errors={"tests/test_more.py": "ImportError: mul"})
    with pytest.raises(Rejected, match="a visible test module does not load"):
        run(tmp_path, dead, removed, min_f2p_share=0.6)  # so the gate before it was passed


def test_a_hidden_conftest_that_does_not_load(tmp_path: Path) -> None:
    shared = HiddenFile("tests/conftest.py", 0o100644, b"X = 1\n")
    removed = deletion(
        edits={**EDITS, "tests/conftest.py": b"X = 2\n"},
        hidden_files=(shared, HiddenFile("tests/test_more.py", 0o100644, HIDDEN)),
    )
    dead = ScriptedPython(collection_errors={"tests/conftest.py": "NameError: Y"})
    error = refused(tmp_path, dead, removed)
    assert error.reason == "a hidden test module does not load without the feature"


def _hidden_whole() -> Deletion:
    """Hide the toy's tests in a form in which every import is another statement."""
    head, _, rest = FILES["tests/test_more.py"].partition(b"\n\n\n")
    tried = b"try:\n    " + head.replace(b"\n", b"\n    ") + b"\nexcept ImportError:\n"
    absent = b"    from calc.more import neg\n\n    mul = 'not implemented'\n\n\n"
    whole = HiddenFile("tests/test_more.py", 0o100644, tried + absent + rest)
    return deletion(hidden_files=(whole,))


def test_hiding_that_changes_other_tests(tmp_path: Path) -> None:
    scripted = ScriptedPython()

    def shaken(test: TestId, tree: Any) -> Outcome:
        hidden = b"not implemented" in scripted.tree["tests/test_more.py"]
        return "failed" if test == NEG and hidden else by_names(test, tree)

    scripted.play = shaken
    error = refused(tmp_path, scripted, _hidden_whole())
    assert error.reason == "hiding the tests changes too many others"
    assert NEG in error.detail


def test_a_deletion_that_breaks_a_test_beside_the_hidden_ones(tmp_path: Path) -> None:
    def broken(test: TestId, tree: Any) -> Outcome:
        gone = b"mul" not in b"".join(tree.values())
        return "failed" if test == NEG and gone else by_names(test, tree)

    scripted = ScriptedPython(play=broken)
    error = refused(tmp_path, scripted, _hidden_whole())
    assert error.reason == "the deletion breaks other tests"
    assert NEG in error.detail
    assert None not in [request.ids for request in scripted.requests]  # no whole suite was run


def test_gold_that_does_not_restore(tmp_path: Path) -> None:
    def broken(test: TestId, tree: Any) -> Outcome:
        return "failed" if test in REACHED else by_names(test, tree)

    error = refused(tmp_path, ScriptedPython(play=broken))
    assert error.reason == "the gold patch does not restore the tests"


class Wavering:
    """A test passes every second time that the feature is there."""

    def __init__(self, which: TestId) -> None:
        self.which, self.seen = which, 0

    def __call__(self, test: TestId, tree: Any) -> Outcome:
        outcome = by_names(test, tree)
        if test == self.which and outcome == "passed":
            self.seen += 1
            return "passed" if self.seen == 1 else "failed"
        return outcome


def test_a_test_that_changes_between_repeats_is_set_aside(tmp_path: Path) -> None:
    scripted = ScriptedPython(play=Wavering(MUL_ZERO))
    verdict = run(tmp_path, scripted, min_tests=1, min_f2p_share=0.5, mutants=0)
    assert (verdict.f2p, verdict.p2p_excluded) == ((MUL,), (MUL_ZERO,))
    assert evidence(verdict, "repeats")["unstable"] == [MUL_ZERO]


def test_too_many_that_change_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, ScriptedPython(play=Wavering(MUL_ZERO))).reason == "unstable"


def test_repeats_differ_in_order_and_seed(tmp_path: Path) -> None:
    scripted = ScriptedPython()
    run(tmp_path, scripted, repeats=3, mutants=0)
    assert {(r.order, r.seed) for r in scripted.requests} >= {
        ("given", 0), ("shuffled", 1), ("shuffled", 2),
    }  # fmt: skip


def test_a_shared_hidden_file_makes_all_tests_run(tmp_path: Path) -> None:
    shared = HiddenFile("tests/conftest.py", 0o100644, b"X = 1\n")
    removed = deletion(
        edits={**EDITS, "tests/conftest.py": b"X = 2\n"},
        hidden_files=(shared, HiddenFile("tests/test_more.py", 0o100644, HIDDEN)),
    )
    scripted = ScriptedPython()
    run(tmp_path, scripted, removed)
    assert scripted.requests[0].ids == TESTS


def test_a_hidden_file_that_no_test_ran_a_line_of_is_nothing_to_them(tmp_path: Path) -> None:
    aside = HiddenFile("other/test_aside.py", 0o100644, b"X = 1\n")
    removed = deletion(
        edits={**EDITS, "other/test_aside.py": None},
        hidden_files=(aside, HiddenFile("tests/test_more.py", 0o100644, HIDDEN)),
    )
    scripted = ScriptedPython()
    run(tmp_path, scripted, removed, files={**FILES, "other/test_aside.py": b"X = 2\n"})
    assert scripted.requests[0].ids == REACHED


def test_gold_that_is_the_snapshot_needs_no_run(tmp_path: Path) -> None:
    same = HiddenFile("tests/test_more.py", 0o100644, FILES["tests/test_more.py"])
    scripted = ScriptedPython()
    verdict = run(tmp_path, scripted, deletion(hidden_files=(same,)), mutants=0)
    assert verdict.f2p == REACHED
    assert evidence(verdict, "gold restores")["tests"] == 0
    assert not any(b"a * b" in tree["calc/more.py"] for tree in scripted.seen)


def test_with_the_feature_the_baseline_speaks_for_files_that_are_the_snapshots(
    tmp_path: Path,
) -> None:
    other = HiddenFile("tests/test_core.py", 0o100644, FILES["tests/test_core.py"])
    hidden = (other, HiddenFile("tests/test_more.py", 0o100644, HIDDEN))
    verdict = run(tmp_path, removed=deletion(hidden_files=hidden))
    assert (
        evidence(verdict, "gold restores")["tests"] == 2
    )  # of test_more.py, those that its placeholder changes


def test_only_what_decides_is_repeated(tmp_path: Path) -> None:
    scripted = ScriptedPython()
    run(tmp_path, scripted, mutants=0)
    assert [r.ids for r in scripted.requests if r.order == "shuffled"] == [REACHED, REACHED]


def test_earlier_runs_count_as_repeats(tmp_path: Path) -> None:
    failed = {test: TestResult("failed", 0.1, "NameError") for test in REACHED}
    earlier = [TestRun(failed, {}, "finished", "", 0.1, 0.1)]
    scripted = ScriptedPython()
    verdict = run(tmp_path, scripted, earlier=earlier, mutants=0)
    assert verdict.f2p == REACHED
    assert [r.ids for r in scripted.requests if r.order == "shuffled"] == [REACHED]  # after


def test_where_an_earlier_run_saw_something_else_the_exact_tree_is_asked_again(
    tmp_path: Path,
) -> None:
    once = {MUL: TestResult("passed", 0.1, ""), MUL_ZERO: TestResult("failed", 0.1, "NameError")}
    earlier = [TestRun(once, {}, "finished", "", 0.1, 0.1)]
    scripted = ScriptedPython()
    verdict = run(tmp_path, scripted, earlier=earlier, mutants=0)
    assert (verdict.f2p, verdict.p2p_excluded) == (REACHED, ())
    assert (MUL,) in [r.ids for r in scripted.requests if r.order == "shuffled"]
