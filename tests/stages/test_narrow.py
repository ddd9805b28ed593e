"""Which tests of T stay in the solver's tree."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from candidates import (
    EDITS,
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
from featuredel.model import Deletion, TestId, TestRun
from featuredel.stages.narrow import Again, narrow

ADD, MUL, MUL_ZERO, NEG = TESTS


def removed() -> Deletion:
    """Return a deletion whose T holds a test that does not notice it."""
    made = deletion()
    feature = replace(made.feature, tests=(MUL, MUL_ZERO, NEG))
    return replace(made, feature=feature, hidden_tests=(MUL, MUL_ZERO, NEG))


def narrowed(tmp_path: Path, again: Again, scripted: ScriptedPython | None = None) -> Deletion:
    return narrowed_and_seen(tmp_path, again, scripted)[0]


def narrowed_and_seen(
    tmp_path: Path, again: Again, scripted: ScriptedPython | None = None
) -> tuple[Deletion, tuple[TestRun, ...]]:
    work = tmp_path / "work"
    work.mkdir()
    root = snapshot(tmp_path / "snapshot")
    return narrow(
        root, environment(), baseline(), removed(), language(scripted or ScriptedPython()),
        NoSandbox(), Settings(), work, again,
    )  # fmt: skip


def without(spared: Collection[TestId]) -> Deletion:
    made = removed()
    left = tuple(test for test in made.hidden_tests if test not in spared)
    return replace(made, hidden_tests=left)


def test_what_does_not_notice_stays_visible(tmp_path: Path) -> None:
    made = narrowed(tmp_path, without)
    assert made.hidden_tests == (MUL, MUL_ZERO)
    assert made.feature.tests == (MUL, MUL_ZERO, NEG)


def test_what_names_the_feature_stays_hidden_though_it_passes(tmp_path: Path) -> None:
    scripted = ScriptedPython(
        play=lambda test, tree: "passed" if test == MUL_ZERO else by_names(test, tree)
    )
    assert narrowed(tmp_path, without, scripted).hidden_tests == (MUL, MUL_ZERO)


def test_nothing_is_deleted_again_where_every_test_notices(tmp_path: Path) -> None:
    def never(spared: Collection[TestId]) -> Deletion:
        raise AssertionError(spared)

    made = narrowed(tmp_path, never, ScriptedPython(play=lambda *_: "failed"))
    assert made == removed()


def test_a_test_that_once_fails_stays_hidden(tmp_path: Path) -> None:
    seen: list[TestId] = []

    def once(test: TestId, tree: object) -> str:
        seen.append(test)
        return "failed" if test != NEG or seen.count(NEG) > 1 else "passed"

    made = narrowed(tmp_path, without, ScriptedPython(play=once))  # type: ignore[arg-type]
    assert made.hidden_tests == removed().hidden_tests
    assert seen.count(NEG) > 1


def test_where_the_test_side_cannot_be_narrowed_it_stays_as_it_was(tmp_path: Path) -> None:
    def refuse(spared: Collection[TestId]) -> Deletion:
        raise Rejected("nothing left after retreat", "")

    assert narrowed(tmp_path, refuse) == removed()


def test_the_source_is_deleted_as_before(tmp_path: Path) -> None:
    def other(spared: Collection[TestId]) -> Deletion:
        edits = {**EDITS, "calc/more.py": b"\n"}
        return replace(without(spared), edits=edits)

    assert narrowed(tmp_path, other) == removed()


def test_the_runs_come_with_it_where_the_graded_tree_is_the_same(tmp_path: Path) -> None:
    made, seen = narrowed_and_seen(tmp_path, without)
    assert made.hidden_tests == (MUL, MUL_ZERO)
    assert [sorted(run.results) for run in seen] == [[MUL, MUL_ZERO, NEG], [NEG]]


def test_the_runs_do_not_where_another_file_is_hidden(tmp_path: Path) -> None:
    def other(spared: Collection[TestId]) -> Deletion:
        file = replace(removed().hidden_files[0], content=b"X = 1\n")
        return replace(without(spared), hidden_files=(file,))

    assert narrowed_and_seen(tmp_path, other)[1] == ()
