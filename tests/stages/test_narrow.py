"""Which tests of T stay in the solver's tree."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from candidates import EDITS, TESTS, ScriptedPython, deletion, language, snapshot

from featuredel.errors import Rejected
from featuredel.model import Deletion, TestId
from featuredel.stages.narrow import Again, narrow

ADD, MUL, MUL_ZERO, NEG = TESTS


def removed() -> Deletion:
    """Return a deletion whose T holds a test that does not notice it."""
    made = deletion()
    feature = replace(made.feature, tests=(MUL, MUL_ZERO, NEG))
    return replace(made, feature=feature, hidden_tests=(MUL, MUL_ZERO, NEG))


def narrowed(
    tmp_path: Path, again: Again, noticing: Collection[TestId] = (MUL, MUL_ZERO)
) -> Deletion:
    root = snapshot(tmp_path / "snapshot").root
    return narrow(root, removed(), noticing, language(ScriptedPython()), again)


def without(spared: Collection[TestId]) -> Deletion:
    made = removed()
    left = tuple(test for test in made.hidden_tests if test not in spared)
    return replace(made, hidden_tests=left)


def test_what_does_not_notice_stays_visible(tmp_path: Path) -> None:
    made = narrowed(tmp_path, without)
    assert made.hidden_tests == (MUL, MUL_ZERO)
    assert made.feature.tests == (MUL, MUL_ZERO, NEG)


def test_what_names_the_feature_stays_hidden_though_it_passes(tmp_path: Path) -> None:
    assert narrowed(tmp_path, without, [MUL]).hidden_tests == (MUL, MUL_ZERO)


def test_nothing_is_deleted_again_where_every_test_notices(tmp_path: Path) -> None:
    def never(spared: Collection[TestId]) -> Deletion:
        raise AssertionError(spared)

    assert narrowed(tmp_path, never, [MUL, MUL_ZERO, NEG]) == removed()


def test_where_the_test_side_cannot_be_narrowed_it_stays_as_it_was(tmp_path: Path) -> None:
    def refuse(spared: Collection[TestId]) -> Deletion:
        raise Rejected("nothing left after retreat", "")

    assert narrowed(tmp_path, refuse) == removed()


def test_the_source_is_deleted_as_before(tmp_path: Path) -> None:
    def other(spared: Collection[TestId]) -> Deletion:
        edits = {**EDITS, "calc/more.py": b"\n"}
        return replace(without(spared), edits=edits)

    assert narrowed(tmp_path, other) == removed()
