"""The source's part of a deletion: what tests stay or go changes nothing of it."""

from dataclasses import dataclass, field

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.retreat import Retreating, Settled
from featuredel.model import DefinitionId, Feature

Steps = tuple[tuple[tuple[DefinitionId, str], ...], ...]
"""What the tests wanted kept, one time after the other, and why."""


@dataclass(slots=True)
class SourceSide:
    """How the source looks without a feature, kept for when the feature is deleted again.

    A second deletion spares tests. As long as its tests want the same kept, nothing is planned
    and cut anew.
    """

    bench: Bench
    feature: Feature
    max_collateral_share: float
    _done: dict[Steps, tuple[Retreating, Settled]] = field(default_factory=dict)

    def settled(self, steps: Steps) -> Settled:
        """Return the deletion after all of `steps`; it has been asked for after all but the last.

        Raises `Rejected` if too little is left.
        """
        if steps not in self._done:
            retreating = self.retreating(steps)
            self._done[steps] = (retreating, retreating.removal())
        return self._done[steps][1]

    def retreating(self, steps: Steps) -> Retreating:
        """Return the search that has made `steps`, ready for a plan. Raises as `settled`."""
        if not steps:
            return Retreating(self.bench, self.feature, self.max_collateral_share)
        retreating = self._done[steps[:-1]][0].branch()
        retreating.keep(dict(steps[-1]))
        return retreating
