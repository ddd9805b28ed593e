"""narrow: of the tests that reach what is deleted, hide those that notice, and no others."""

import tempfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from featuredel import trees
from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.gates.trial import Trial, lay_out, passed
from featuredel.languages import Language
from featuredel.model import Baseline, Deletion, Environment, Snapshot, TestId, TestRun
from featuredel.sandbox import Sandbox

Again = Callable[[Collection[TestId]], Deletion]
"""Delete the same feature once more, given tests that stay in the visible tree."""


def narrow(
    snapshot: Snapshot, environment: Environment, baseline: Baseline, deletion: Deletion,
    language: Language, sandbox: Sandbox, settings: Settings, work: Path, again: Again,
) -> tuple[Deletion, tuple[TestRun, ...]]:  # fmt: skip
    """Return the deletion with the tests left in the solver's tree that pass without the feature.

    A parser's every test passes through each of its parts on the way to something else. What
    tells of the feature stays hidden though it passes. The source is deleted as before. The runs
    are of what was hidden; they come with it where they hold for the tree as it is now.
    """
    with tempfile.TemporaryDirectory(prefix="narrow-", dir=work) as directory:
        scratch = Path(directory)
        trial = Trial(
            snapshot, environment, baseline, deletion, language, sandbox, settings,
            task=scratch / "task", hidden=scratch / "hidden", gold=scratch / "gold",
            work=work,
        )  # fmt: skip
        lay_out(trial)
        passing, seen = _passing(trial)
    spared = passing - language.tell_of(snapshot.root, deletion, sorted(passing))
    if not spared:
        return deletion, seen
    try:
        narrowed = again(spared)
    except Rejected:
        return deletion, seen  # the test files cannot do without what tests that stay would need
    if not _same_source(deletion, narrowed):
        return deletion, seen
    same = _graded(snapshot.root, deletion) == _graded(snapshot.root, narrowed)
    return narrowed, seen if same else ()


def _passing(trial: Trial) -> tuple[frozenset[TestId], tuple[TestRun, ...]]:
    """Return the hidden tests of T that pass in every run without the feature, and the runs."""
    left = frozenset(trial.deletion.hidden_tests) & frozenset(trial.deletion.feature.tests)
    seen: list[TestRun] = []
    for repeat in reversed(range(trial.settings.repeats)):  # validation begins with the first
        if not left:
            break
        request = trial.request(sorted(left), repeat=repeat)
        seen.append(trial.fork_settled(request, trial.hidden))
        left &= passed(seen[-1].results, left)
    return left, tuple(seen)


def _graded(root: Path, deletion: Deletion) -> Mapping[str, bytes | None]:
    """Return what differs from the snapshot in the tree in which nothing is graded."""
    files = {**deletion.edits, **{file.path: file.content for file in deletion.hidden_files}}
    return {
        path: content
        for path, content in files.items()
        if content is None or not (root / path).exists() or trees.read(root, path) != content
    }


def _same_source(one: Deletion, other: Deletion) -> bool:
    return (
        one.feature.definitions == other.feature.definitions
        and one.gold_paths == other.gold_paths
        and all(one.edits[path] == other.edits[path] for path in one.gold_paths)
    )
