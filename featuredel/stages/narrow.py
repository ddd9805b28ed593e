"""narrow: of the tests that reach what is deleted, hide those that notice, and no others."""

import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.gates.trial import Trial, lay_out, passed
from featuredel.languages import Language
from featuredel.model import Baseline, Deletion, Environment, Snapshot, TestId
from featuredel.sandbox import Sandbox

Again = Callable[[Collection[TestId]], Deletion]
"""Delete the same feature once more, given tests that stay in the visible tree."""


def narrow(
    snapshot: Snapshot, environment: Environment, baseline: Baseline, deletion: Deletion,
    language: Language, sandbox: Sandbox, settings: Settings, work: Path, again: Again,
) -> Deletion:  # fmt: skip
    """Return the deletion with the tests left in the solver's tree that pass without the feature.

    A parser's every test passes through each of its parts on the way to something else. What
    tells of the feature stays hidden though it passes. The source is deleted as before.
    """
    with tempfile.TemporaryDirectory(prefix="narrow-", dir=work) as directory:
        scratch = Path(directory)
        trial = Trial(
            snapshot, environment, baseline, deletion, language, sandbox, settings,
            task=scratch / "task", hidden=scratch / "hidden", gold=scratch / "gold",
            work=work,
        )  # fmt: skip
        lay_out(trial)
        passing = _passing(trial)
    spared = passing - language.tell_of(snapshot.root, deletion, sorted(passing))
    if not spared:
        return deletion
    try:
        narrowed = again(spared)
    except Rejected:
        return deletion  # the test files cannot do without what tests that stay would need
    return narrowed if _same_source(deletion, narrowed) else deletion


def _passing(trial: Trial) -> frozenset[TestId]:
    """Return the hidden tests of T that pass in every run without the feature."""
    left = frozenset(trial.deletion.hidden_tests) & frozenset(trial.deletion.feature.tests)
    for repeat in range(trial.settings.repeats):
        if not left:
            break
        request = trial.request(sorted(left), repeat=repeat)
        left &= passed(trial.fork_settled(request, trial.hidden).results, left)
    return left


def _same_source(one: Deletion, other: Deletion) -> bool:
    return (
        one.feature.definitions == other.feature.definitions
        and one.gold_paths == other.gold_paths
        and all(one.edits[path] == other.edits[path] for path in one.gold_paths)
    )
