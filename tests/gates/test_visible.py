"""Which tests of the visible tree are run, and what becomes of a candidate that breaks others."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from candidates import (
    EDITS,
    FILES,
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

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.gates.trial import Trial, lay_out
from featuredel.gates.visible import DISAGREED, disagreed, visible
from featuredel.model import Deletion, Lines, Outcome, Rejection, TestId

ADD, MUL, MUL_ZERO, NEG = TESTS
LINES = Lines(TESTS, {"calc/more.py": {2: 0b0110}, "calc/core.py": {2: 0b0001}}, {})
"""`test_neg` runs no line of a changed file, but stands in an edited one."""


def trial(
    tmp_path: Path, scripted: ScriptedPython, removed: Deletion | None = None,
    files: Mapping[str, bytes] | None = None, **settings: Any,
) -> Trial:  # fmt: skip
    root = snapshot(tmp_path / "snapshot", files) if files else snapshot(tmp_path / "snapshot")
    made = Trial(
        root, environment(), baseline(lines=LINES), removed or deletion(), language(scripted),
        NoSandbox(), Settings(**settings), tmp_path / "task", tmp_path / "hidden",
        tmp_path / "gold", tmp_path,
    )  # fmt: skip
    lay_out(made)
    return made


def asked(scripted: ScriptedPython) -> list[tuple[TestId, ...] | None]:
    return [request.ids for request in scripted.requests]


def breaks(which: TestId) -> ScriptedPython:
    """Return what fails a test where `mul` is gone."""

    def play(test: TestId, tree: Mapping[str, bytes]) -> Outcome:
        gone = b"def mul" not in b"".join(tree.values())
        return "failed" if test == which and gone else by_names(test, tree)

    return ScriptedPython(play=play)


def test_the_trees_of_a_trial(tmp_path: Path) -> None:
    made = trial(tmp_path, ScriptedPython())
    assert b"mul" not in (made.task / "calc/more.py").read_bytes()
    assert b"mul" not in (made.hidden / "calc/more.py").read_bytes()
    assert (made.gold / "calc/more.py").read_bytes() == FILES["calc/more.py"]


def test_everything_is_run_by_default(tmp_path: Path) -> None:
    scripted = ScriptedPython()
    visible(trial(tmp_path, scripted))
    assert asked(scripted) == [None]


def test_only_what_reaches_a_changed_file(tmp_path: Path) -> None:
    scripted = ScriptedPython()
    seen, _ = visible(trial(tmp_path, scripted, confirm="affected", audit_share=0))
    assert asked(scripted) == [(NEG, MUL, MUL_ZERO)]  # of the hidden ones, that they are gone
    assert seen.evidence == '{"audited": false, "of": 2, "tests": 1, "unstable": []}'


def test_a_hidden_test_that_is_still_there(tmp_path: Path) -> None:
    scripted = ScriptedPython(collected=lambda _: TESTS)
    with pytest.raises(Rejected, match="a hidden test is still in the visible tree"):
        visible(trial(tmp_path, scripted, confirm="affected", audit_share=0))


def test_what_breaks_an_affected_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Rejected, match="the deletion breaks other tests"):
        visible(trial(tmp_path, breaks(NEG), confirm="affected", audit_share=0))


def test_an_audit_finds_what_the_affected_tests_do_not(tmp_path: Path) -> None:
    scripted = breaks(ADD)
    affected = trial(tmp_path, scripted, confirm="affected", audit_share=0)
    visible(affected)  # it is not seen
    with pytest.raises(Rejected) as caught:
        visible(replace(affected, settings=replace(affected.settings, audit_share=1)))
    assert caught.value.reason == DISAGREED
    assert ADD in caught.value.detail
    assert disagreed(Rejection("calc", "", "validate", caught.value.reason, ""))
    assert not disagreed(None)


REGISTERED = {**FILES, "calc/more.py": FILES["calc/more.py"] + b"TABLE = []\nTABLE.append('mul')\n"}


def test_what_acts_in_the_middle_of_a_test_is_confirmed_in_full(tmp_path: Path) -> None:
    scripted = ScriptedPython()
    visible(trial(tmp_path, scripted, files=REGISTERED, confirm="affected"))
    assert asked(scripted) == [None]


def test_what_acts_when_it_is_imported_is_confirmed_by_who_may_see_it(tmp_path: Path) -> None:
    loaded = replace(LINES, imported={"calc/more.py": frozenset({1, 5, 8, 9})})
    for seeing, expected in (
        ({"calc/core.py": frozenset({2})}, (ADD, NEG, MUL, MUL_ZERO)),
        ({"calc/core.py": frozenset({1})}, (NEG, MUL, MUL_ZERO)),
        (None, None),
    ):
        scripted = ScriptedPython(seeing=seeing)
        where = tmp_path / str(expected and len(expected))
        made = trial(where, scripted, files=REGISTERED, confirm="affected", audit_share=0)
        visible(replace(made, baseline=replace(made.baseline, lines=loaded)))
        assert asked(scripted) == [expected]


def test_the_share_of_audits_is_drawn_by_the_seed(tmp_path: Path) -> None:
    drawn = []
    for number in range(40):
        scripted = ScriptedPython()
        made = deletion()
        made = replace(made, feature=replace(made.feature, id=f"{number:016x}"), edits=EDITS)
        where = tmp_path / str(number)
        visible(trial(where, scripted, made, confirm="affected", audit_share=0.5))
        drawn.append(None in asked(scripted))
    assert 8 < sum(drawn) < 32
