"""What is drawn from a pool, and what outcomes say of a submission."""

import random
from collections.abc import Mapping

import pytest

from featuredel import controls
from featuredel.controls import Draw
from featuredel.model import (
    CANARY_FAILS,
    CANARY_PASSES,
    NEUTRAL,
    Control,
    ControlOutcome,
    HiddenFile,
    Outcome,
    TestId,
    TestResult,
    TestRun,
)
from featuredel.patches import new_file_patch, splice_patch

PATH = "tests/test_a.py"
SOURCE = b"def test_a():\n    assert f() == 1\n\n\ndef test_b():\n    assert f() == 2\n"
FILES = (HiddenFile(PATH, 0o100644, SOURCE),)
A, B, LOST = (TestId(f"{PATH}::test_{name}") for name in ("a", "b", "c"))
OTHER = TestId("tests/test_other.py::test_d")


def control(kind: str, test: TestId, old: bytes = b"", new: bytes = b"") -> Control:
    start = SOURCE.index(old) if old else len(SOURCE)
    patch = splice_patch(PATH, SOURCE, [(start, start + len(old), new)])
    return Control(kind, PATH, patch, (test,))


CANARIES = (
    control(CANARY_PASSES, TestId(f"{PATH}::test_good"), b"", b"\n\ndef test_good():\n    pass\n"),
    control(CANARY_FAILS, TestId(f"{PATH}::test_bad"), b"", b"\n\ndef test_bad():\n    assert 0\n"),
)
GOOD, BAD = (one.tests[0] for one in CANARIES)
POOL = (
    control(NEUTRAL, A, b"== 1", b"== (1, 5)[0]"),
    control(NEUTRAL, B, b"== 2", b"== (2, 5)[0]"),
    control("constant", A, b"== 1", b"== (1, 5)[1]"),
    control("raise", A, b"== 1\n", b"== 1\n    assert 0\n"),
    control("raise", B, b"== 2\n", b"== 2\n    assert 0\n"),
    *CANARIES,
)


def run(outcomes: Mapping[TestId, Outcome], reason: str = "AssertionError", ended: str = "finished",
        **changes: int | None) -> TestRun:  # fmt: skip
    results = {test: TestResult(one, 0.1, reason) for test, one in outcomes.items()}
    return TestRun(results, {}, ended, "", 0.1, 0.1, **changes)  # type: ignore[arg-type]


def drawn(seed: int, pool: tuple[Control, ...] = POOL) -> Draw:
    return controls.draw(FILES, pool, (A, B), (OTHER,), random.Random(seed))


def test_two_runs_of_the_same_tests_with_each_broken_in_one_of_them() -> None:
    sides = set()
    for seed in range(30):
        draw = drawn(seed)
        for test in (A, B):
            kinds = [half.kind(test) for half in draw.halves]
            assert kinds[draw.counts[test]] == NEUTRAL != kinds[1 - draw.counts[test]]
        assert all({A, B, GOOD, BAD} <= ids for ids in draw.ids)
        assert [OTHER in ids for ids in draw.ids].count(True) == 1
        assert OTHER in draw.ids[draw.counts[OTHER]]
        sides.add((draw.counts[A], draw.counts[B]))
    assert len(sides) == 4


def test_both_runs_have_canaries_and_forms() -> None:
    for half in drawn(0).halves:
        (file,) = half.files
        assert b"def test_good" in file.content and b"def test_bad" in file.content
        assert b"(1, 5)" in file.content


def test_the_only_strong_control_is_always_taken_and_weak_ones_now_and_then() -> None:
    assert {_broken(drawn(seed), A) for seed in range(50)} == {"constant"}
    assert {_broken(drawn(seed), B) for seed in range(5)} == {"raise"}
    more = (*POOL, control("wrapped", B, b"== 2", b"== (2, 'x')[1]"))
    assert {_broken(drawn(seed, more), B) for seed in range(99)} == {"wrapped", "raise"}


def _broken(draw: Draw, test: TestId) -> str:
    return draw.halves[1 - draw.counts[test]].kind(test)


def test_without_a_pool_each_test_counts_in_one_run() -> None:
    draw = drawn(3, ())
    assert [half.files for half in draw.halves] == [FILES, FILES]
    assert all({A, B} <= ids for ids in draw.ids)


def test_a_canary_may_stand_in_a_file_of_its_own() -> None:
    path = "tests/test_c.py"
    other = Control(CANARY_FAILS, path, new_file_patch(path, b"x\n"), (LOST,))
    added = HiddenFile(path, 0o100644, b"x\n")
    assert controls.applied(FILES, [other]).files == (*FILES, added)


def test_a_control_that_does_not_fit_is_told() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        controls.applied([HiddenFile(PATH, 0o100644, b"other\n")], POOL[:1])


def test_what_has_no_control() -> None:
    assert controls.uncontrolled(POOL, (A, LOST, B)) == (LOST,)
    assert controls.uncontrolled((), (A,)) == (A,)


@pytest.mark.parametrize(
    ("good", "bad", "reason", "ended", "verdict"),
    [
        ("passed", "failed", "AssertionError", "finished", "held"),
        ("passed", "passed", "", "finished", "broken"),
        ("failed", "failed", "AssertionError: 1", "finished", "broken"),
        ("failed", "failed", "PytestUnraisableExceptionWarning", "finished", "inconclusive"),
        ("error", "error", "KeyError", "finished", "inconclusive"),
        ("skipped", "skipped", "", "finished", "inconclusive"),
        ("absent", "failed", "", "finished", "broken"),
        ("absent", "absent", "", "crashed", "inconclusive"),
    ],
)
def test_canaries(
    good: Outcome, bad: Outcome, reason: str, ended: str, verdict: ControlOutcome
) -> None:
    fine = run({A: "passed", GOOD: "passed", BAD: "failed"})
    seen = run({A: "passed", GOOD: good, BAD: bad}, reason, ended)
    for runs in ((seen, fine), (fine, seen)):
        assert controls.judge_canaries(runs, drawn(0)).outcome == verdict


def test_canaries_of_a_module_that_does_not_load_say_nothing() -> None:
    assert controls.judge_canaries((run({}), run({})), drawn(0)).outcome == "inconclusive"
    assert controls.judge_canaries((run({}), run({})), drawn(0, ())).outcome == "not run"


def seen_of(draw: Draw, outcome: Outcome) -> tuple[TestRun, TestRun]:
    """Return two runs in which changed tests come out so, and all else passes."""
    one, other = (
        run({test: outcome if draw.counts[test] != place else "passed" for test in (A, B)})
        for place in (0, 1)
    )
    return one, other


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        ("passed", "broken"), ("failed", "held"), ("error", "held"),
        ("timeout", "inconclusive"), ("absent", "inconclusive"), ("skipped", "inconclusive"),
    ],
)  # fmt: skip
def test_a_changed_test_that_passes_is_broken(outcome: Outcome, verdict: ControlOutcome) -> None:
    draw = drawn(0)
    found = controls.judge_controls(seen_of(draw, outcome), draw, {A, B})
    assert {one.kind: one.outcome for one in found} == {"constant": verdict, "raise": verdict}
    assert controls.doubtful(seen_of(draw, outcome), draw, {A, B}) == frozenset()


def test_one_that_passes_negated_is_no_verdict_but_does_not_count() -> None:
    draw = drawn(0, (*POOL[:2], control("negated", A, b"== 1", b"!= 1")))
    runs = seen_of(draw, "passed")
    (found,) = controls.judge_controls(runs, draw, {A, B})
    assert (found.kind, found.outcome) == ("negated", "inconclusive")
    assert controls.doubtful(runs, draw, {A, B}) == {A}
    assert controls.doubtful(runs, draw, {B}) == frozenset()


def test_what_did_not_pass_needs_no_control() -> None:
    runs = (run({A: "passed"}), run({A: "passed"}))
    (found,) = controls.judge_controls(runs, drawn(0), ())
    assert (found.kind, found.outcome) == ("changed tests", "not run")


def test_who_forges_one_half_alone_passes_there_what_nobody_passes() -> None:
    draw = drawn(0)
    forged = 1 - draw.counts[B]
    runs = tuple(run({B: "passed" if place == forged else "failed"}) for place in (0, 1))
    (found,) = controls.judge_controls(runs, draw, ())
    assert (found.kind, found.outcome, found.tests) == ("raise", "broken", (B,))


def test_a_wrong_answer_may_be_the_other_constant() -> None:
    draw = drawn(0)
    runs = tuple(run({A: "passed"}) for _ in (0, 1))
    (found,) = controls.judge_controls(runs, draw, ())
    assert found.kind == "changed tests"


def test_both_halves_have_the_same_canaries() -> None:
    path = "tests/test_c.py"
    other = Control(CANARY_FAILS, path, new_file_patch(path, b"x\n"), (LOST,))
    many = [control(CANARY_FAILS, TestId(f"{PATH}::test_{n}"), b"", b"\n\n#\n") for n in range(3)]
    pool = (*POOL[:2], *many, other)
    for seed in range(20):
        one, two = drawn(seed, pool).halves
        assert len(one.files) == len(two.files)


def test_ablation_is_never_a_verdict() -> None:
    assert controls.judge_ablation(run({A: "failed"}), {A}).outcome == "held"
    found = controls.judge_ablation(run({A: "failed", B: "passed"}), {A, B})
    assert (found.outcome, found.tests) == ("inconclusive", (B,))


@pytest.mark.parametrize(
    ("outcome", "code", "left", "more", "held"),
    [
        ("passed", 0, 0, {}, True),
        ("failed", 1, 0, {}, True),
        ("failed", 0, 0, {}, False),
        ("passed", -11, 0, {}, False),
        ("passed", 0, 2, {}, False),
        ("passed", 0, 0, {LOST: "passed"}, False),
    ],
)
def test_the_report(
    outcome: Outcome, code: int, left: int, more: Mapping[TestId, Outcome], held: bool
) -> None:
    runs = (run({A: outcome, **more}, exit_code=code, left=left), run({A: "passed"}, exit_code=0))
    found = controls.judge_report(runs, drawn(0))
    assert found.outcome == ("held" if held else "inconclusive")
    assert bool(found.detail) != held


def test_next_to_no_time() -> None:
    assert controls.judge_durations({A: 0.0}, {A: 0.01}).outcome == "not run"
    assert controls.judge_durations({A: 0.9}, {A: 1.0}).outcome == "held"
    assert controls.judge_durations({A: 0.001}, {A: 1.0}).outcome == "inconclusive"
