"""Delete: the edit that removes a feature, not yet believed."""

from collections.abc import Collection

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.languages import Language
from featuredel.model import Baseline, Deletion, Feature, Form, Index, Snapshot, TestId


def delete(
    snapshot: Snapshot,
    index: Index,
    baseline: Baseline,
    feature: Feature,
    form: Form,
    language: Language,
    settings: Settings,
    spared: Collection[TestId] = (),
) -> Deletion:
    """Return the deletion of `feature` after retreat, the tests `spared` left where they are.

    Raises `Rejected` if it cannot be removed.
    """
    deletion = language.delete(
        snapshot.root, index, baseline, feature, form, settings.max_collateral_share, spared
    )
    if not deletion.gold_paths:
        raise Rejected("nothing left after retreat", "no file would change")
    if not deletion.hidden_tests:
        raise Rejected("no test reaches the feature", ", ".join(deletion.feature.definitions))
    return deletion
