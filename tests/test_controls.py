"""What is drawn from a pool, and what outcomes say of a submission."""

import random
from collections.abc import Mapping

import pytest

from featuredel import controls
from featuredel.controls import Drawn
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


def test_the_main_run_has_neutral_forms_and_canaries() -> None:
    drawn = controls.main_form(FILES, POOL, random.Random(0))
    (file,) = drawn.files
    assert b"(1, 5)[0]" in file.content and b"(2, 5)[0]" in file.content
    assert file.content.endswith(b"assert 0\n") and b"def test_good" in file.content
    assert set(drawn.of) == {A, B, GOOD, BAD}


def test_a_control_run_has_one_control_of_each_test_that_passed() -> None:
    kinds = set()
    for seed in range(50):
        drawn = controls.control_form(FILES, POOL, {A, B}, random.Random(seed))
        assert set(drawn.of) == {A, B} and b"test_good" not in drawn.files[0].content
        kinds.add(drawn.of[A].kind)
        assert drawn.of[B].kind == "raise"
    # the only strong one there is is always taken
    assert kinds == {"constant"}
    assert set(controls.control_form(FILES, POOL, {B}, random.Random(0)).of) == {B}


def test_weak_controls_are_drawn_now_and_then() -> None:
    more = (*POOL, control("wrapped", B, b"== 2", b"== (2, 'x')[1]"))
    drawn = [controls.control_form(FILES, more, {A, B}, random.Random(n)) for n in range(99)]
    assert {one.of[B].kind for one in drawn} == {"wrapped", "raise"}


def test_a_canary_may_stand_in_a_file_of_its_own() -> None:
    other = Control(
        CANARY_FAILS, "tests/test_c.py", new_file_patch("tests/test_c.py", b"x\n"), (LOST,)
    )
    drawn = controls.applied(FILES, [other])
    assert drawn.files == (*FILES, HiddenFile("tests/test_c.py", 0o100644, b"x\n"))


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
    drawn = Drawn(FILES, {one.tests[0]: one for one in CANARIES})
    found = controls.judge_canaries(
        run({A: "passed", GOOD: good, BAD: bad}, reason, ended), drawn, {A}
    )
    assert found.outcome == verdict


def test_canaries_of_a_module_that_does_not_load_say_nothing() -> None:
    drawn = Drawn(FILES, {one.tests[0]: one for one in CANARIES})
    assert controls.judge_canaries(run({}), drawn, {A, B}).outcome == "inconclusive"
    assert controls.judge_canaries(run({}), Drawn(FILES, {}), {A, B}).outcome == "not run"


def test_a_control_is_broken_that_passes_twice() -> None:
    drawn = Drawn(FILES, {A: POOL[2], B: POOL[4]})

    def seen(once: Outcome, twice: Outcome | None) -> list[tuple[str, ControlOutcome]]:
        again = None if twice is None else run({A: twice})
        found = controls.judge_controls(run({A: once, B: "failed"}), again, drawn)
        return [(one.kind, one.outcome) for one in found]

    held: tuple[str, ControlOutcome] = ("raise", "held")
    assert seen("failed", None) == [("constant", "held"), held]
    assert seen("passed", "passed") == [("constant", "broken"), held]
    assert seen("passed", "failed") == [("constant", "inconclusive"), held]
    assert seen("timeout", None) == [("constant", "inconclusive"), held]


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
    seen = run({A: outcome, **more}, exit_code=code, left=left)
    found = controls.judge_report(seen, {A}, Drawn(FILES, {}))
    assert found.outcome == ("held" if held else "inconclusive")
    assert bool(found.detail) != held


def test_next_to_no_time() -> None:
    assert controls.judge_durations({A: 0.0}, {A: 0.01}).outcome == "not run"
    assert controls.judge_durations({A: 0.9}, {A: 1.0}).outcome == "held"
    assert controls.judge_durations({A: 0.001}, {A: 1.0}).outcome == "inconclusive"
