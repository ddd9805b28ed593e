"""narrow: of the tests that reach what is deleted, hide those that notice, and no others."""

from collections.abc import Callable, Collection
from pathlib import Path

from featuredel.errors import Rejected
from featuredel.languages import Language
from featuredel.model import Deletion, TestId

Again = Callable[[Collection[TestId]], Deletion]
"""Delete the same feature once more, given tests that stay in the visible tree."""


def narrow(
    root: Path, deletion: Deletion, noticing: Collection[TestId], language: Language, again: Again
) -> Deletion:
    """Return the deletion with the tests left in the solver's tree that pass without the feature.

    A parser's every test passes through each of its parts on the way to something else. What
    tells of the feature stays hidden though it does not notice. The source is deleted as before.
    `root` is the snapshot; `noticing` are the tests of T that were seen to fail.
    """
    hidden = frozenset(deletion.hidden_tests) & frozenset(deletion.feature.tests)
    passing = hidden.difference(noticing)
    spared = passing - language.tell_of(root, deletion, sorted(passing))
    if not spared:
        return deletion
    try:
        narrowed = again(spared)
    except Rejected:
        return deletion  # the test files cannot do without what tests that stay would need
    return narrowed if _same_source(deletion, narrowed) else deletion


def _same_source(one: Deletion, other: Deletion) -> bool:
    return (
        one.feature.definitions == other.feature.definitions
        and one.gold_paths == other.gold_paths
        and all(one.edits[path] == other.edits[path] for path in one.gold_paths)
    )
