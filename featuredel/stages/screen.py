"""screen: of many candidates at once, which tests notice that the feature is gone."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from featuredel.config import Settings
from featuredel.gates import screen as gate
from featuredel.gates.trial import Trial
from featuredel.languages import Language
from featuredel.model import Baseline, Deletion, Environment, Snapshot, TestRun
from featuredel.sandbox import Sandbox


def screen(
    snapshot: Snapshot, environment: Environment, baseline: Baseline,
    deletions: Sequence[Deletion], language: Language, sandbox: Sandbox, settings: Settings,
    work: Path,
) -> tuple[TestRun, ...]:  # fmt: skip
    """Return a run of T without the feature, for each of some deletions from one repository.

    It is as good as one of the exact tree in telling what notices, and costs a fraction.
    """
    with tempfile.TemporaryDirectory(prefix="screen-", dir=work) as directory:
        scratch = Path(directory)
        trials = [
            Trial(
                snapshot, environment, baseline, deletion, language, sandbox, settings,
                task=scratch / "task", hidden=scratch / "hidden", gold=scratch / "gold",
                work=work,
            )
            for deletion in deletions
        ]  # fmt: skip
        return tuple(found.run for found in gate.screen(trials))
