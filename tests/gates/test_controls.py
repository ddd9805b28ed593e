"""Which controls are kept: those that came out with gold as they are meant to."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from candidates import (
    HIDDEN,
    REACHED,
    TESTS,
    NoSandbox,
    ScriptedPython,
    baseline,
    deletion,
    environment,
    language,
    snapshot,
)

from featuredel.config import Settings
from featuredel.gates.controls import Pool, controls
from featuredel.gates.trial import Trial, lay_out
from featuredel.model import CANARY_FAILS, CANARY_PASSES, NEUTRAL, Control, Outcome, TestId
from featuredel.patches import splice_patch

ADD, MUL, MUL_ZERO, NEG = TESTS
PATH = "tests/test_more.py"


def control(kind: str, test: TestId, text: bytes) -> Control:
    """Return a control that writes a word beside a test, or at the end of the file."""
    name = test.partition("::")[2].encode()
    place = HIDDEN.index(b"def " + name + b"()") if name in HIDDEN else len(HIDDEN)
    return Control(kind, PATH, splice_patch(PATH, HIDDEN, [(place, place, text)]), (test,))


def pool(
    tmp_path: Path, made: tuple[Control, ...], outcomes: Mapping[bytes, Mapping[TestId, Outcome]]
) -> Pool:
    """Return what is kept where words in the test file make tests come out so."""
    return kept(tmp_path, ScriptedPython(pool=made), outcomes, REACHED, TESTS)


def kept(
    tmp_path: Path, scripted: ScriptedPython, outcomes: Mapping[bytes, Mapping[TestId, Outcome]],
    f2p: tuple[TestId, ...], tests: tuple[TestId, ...],
) -> Pool:  # fmt: skip

    def play(test: TestId, _source: Mapping[str, bytes]) -> Outcome:
        for word, told in outcomes.items():
            if word in scripted.tree[PATH] and test in told:
                return told[test]
        return "passed"

    scripted.play = play
    trial = Trial(
        snapshot(tmp_path / "snapshot"), environment(), baseline(tests), deletion(),
        language(scripted), NoSandbox(), Settings(), tmp_path / "task", tmp_path / "hidden",
        tmp_path / "gold", tmp_path,
    )  # fmt: skip
    lay_out(trial)
    return controls(trial, f2p, ())


def canary(kind: str, name: bytes) -> Control:
    return control(kind, TestId(f"{PATH}::{name.decode()}"), b"\n\ndef " + name + b"():\n    0\n")


NEUTRALS = (control(NEUTRAL, MUL, b"# n1\n"), control(NEUTRAL, MUL_ZERO, b"# n2\n"))
FAILING = (control("raise", MUL, b"# r1\n"), control("raise", MUL_ZERO, b"# r2\n"))
FAILED: Mapping[bytes, Mapping[TestId, Outcome]] = {
    b"# r1": {MUL: "failed"},
    b"# r2": {MUL_ZERO: "error"},
}


def test_what_comes_out_as_meant_is_kept(tmp_path: Path) -> None:
    canaries = (canary(CANARY_PASSES, b"test_yes"), canary(CANARY_FAILS, b"test_no"))
    no = {TestId(f"{PATH}::test_no"): "failed"}
    made = (*NEUTRALS, *FAILING, *canaries)
    found = pool(tmp_path, made, {**FAILED, b"test_no": no})  # type: ignore[dict-item]
    assert sorted(one.kind for one in found.controls) == sorted(one.kind for one in made)
    evidence = json.loads(found.gate.evidence)
    assert evidence["kept"] == {
        "neutral": 2, "raise": 2, "canary that passes": 1, "canary that fails": 1,
    }  # fmt: skip
    assert (evidence["f2p"], evidence["uncontrolled"], evidence["made"]) == (2, 0, 6)
    assert (found.gate.name, found.gate.outcome) == ("controls", "measured")


def test_what_gold_passes_is_no_control(tmp_path: Path) -> None:
    found = pool(tmp_path, (*NEUTRALS, *FAILING), {b"# r1": {MUL: "failed"}})
    assert set(found.controls) == {*NEUTRALS, FAILING[0]}
    assert json.loads(found.gate.evidence)["without"] == [MUL_ZERO]


def test_what_was_never_run_is_no_control(tmp_path: Path) -> None:
    found = pool(tmp_path, (*NEUTRALS, *FAILING), {**FAILED, b"# r2": {MUL_ZERO: "absent"}})
    assert FAILING[1] not in found.controls


def test_a_test_without_a_neutral_form_has_no_controls(tmp_path: Path) -> None:
    found = pool(tmp_path, (*NEUTRALS, *FAILING), {**FAILED, b"# n2": {MUL_ZERO: "failed"}})
    assert set(found.controls) == {NEUTRALS[0], FAILING[0]}


def test_a_file_where_others_come_out_otherwise_has_none(tmp_path: Path) -> None:
    found = pool(tmp_path, (*NEUTRALS, *FAILING), {**FAILED, b"# n1": {NEG: "failed"}})
    assert found.controls == ()
    assert json.loads(found.gate.evidence)["uncontrolled"] == 2


@pytest.mark.parametrize("harmed", [NEG, MUL_ZERO])
def test_what_harms_others_when_it_fails_is_no_control(harmed: TestId, tmp_path: Path) -> None:
    harm: Mapping[TestId, Outcome] = {MUL: "failed", harmed: "failed"}
    found = pool(tmp_path, (*NEUTRALS, *FAILING), {**FAILED, b"# r1": harm})
    assert FAILING[0] not in found.controls and FAILING[1] in found.controls


def test_a_canary_that_comes_out_wrong_is_none(tmp_path: Path) -> None:
    canaries = (canary(CANARY_PASSES, b"test_yes"), canary(CANARY_FAILS, b"test_no"))
    yes: Mapping[TestId, Outcome] = {TestId(f"{PATH}::test_yes"): "skipped"}
    assert pool(tmp_path, canaries, {b"test_yes": yes}).controls == ()


class Parametrised(ScriptedPython):
    """Makes controls of `test_mul` that change all its cases, of which it is told some."""

    def controls(
        self, hidden: Mapping[str, bytes], taken: Collection[str], f2p: Sequence[TestId], seed: int
    ) -> tuple[Control, ...]:
        cases = tuple(test for test in f2p if test.startswith(f"{MUL}["))
        return tuple(replace(one, tests=cases) for one in (NEUTRALS[0], FAILING[0]))


def test_a_function_of_which_some_cases_are_f2p_is_changed_as_a_whole(tmp_path: Path) -> None:
    cases = (TestId(f"{MUL}[1]"), TestId(f"{MUL}[2]"))
    tests = (*cases, *(TestId(f"{PATH}::test_{n}") for n in range(200)))
    changed: Mapping[TestId, Outcome] = dict.fromkeys(cases, "failed")
    scripted = Parametrised(collected=lambda _tree: tests)
    found = kept(tmp_path, scripted, {b"# r1": changed}, cases[:1], tests)
    assert [(one.kind, one.tests) for one in found.controls] == [
        (NEUTRAL, cases), ("raise", cases),
    ]  # fmt: skip
