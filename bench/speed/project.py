"""A project and its candidates: what is mined first, then more of the same, then single ones."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from bench.speed.meter import own_cpu_s
from featuredel.config import RepositorySpec
from featuredel.errors import Rejected
from featuredel.features.cut import Cutter, Piece
from featuredel.features.rank import Ranker
from featuredel.features.seeds import seeds
from featuredel.gates.trial import Trial
from featuredel.jobs import mine_job
from featuredel.languages import Language, front_end
from featuredel.model import Cost, Deletion, Feature, Mined
from featuredel.relation import Relation
from featuredel.sandbox import Sandbox
from featuredel.stages.delete import delete
from featuredel.stages.discover import discover

MOST_TESTS_SHARE = 0.4
"""A single definition that more of the tests enter is infrastructure: `discover` draws the line."""


@dataclass(slots=True)
class Made:
    """What it cost to make the candidates."""

    names: list[str]
    tests: list[list[str]]  # T of each
    features: int  # of the candidates, those that are features; the others are single definitions
    refused: int
    discover_s: float  # CPU seconds for all
    delete_s: list[float]  # for each that was made
    refused_s: list[float]  # and for each that was not


@dataclass
class Project:
    """A mined project."""

    spec: RepositorySpec
    work: Path
    mined: Mined
    costs: tuple[Cost, ...]
    wanted: int  # candidates

    @property
    def name(self) -> str:
        """Its name in the file of projects."""
        return self.spec.name

    @property
    def language(self) -> Language:
        """Its front-end."""
        return front_end(self.mined.snapshot.language)

    @property
    def key(self) -> tuple[object, ...]:
        """What all that is measured on it depends on."""
        mined = self.mined
        return (
            mined.snapshot.tree, mined.environment.id, mined.baseline.tests, self.spec.settings,
            self.wanted,
        )  # fmt: skip

    @cached_property
    def made(self) -> tuple[tuple[Deletion, ...], Made]:
        """The candidates, and what they cost."""
        return _made(self)

    @property
    def deletions(self) -> tuple[Deletion, ...]:
        """The candidates: what is deleted of each."""
        return self.made[0]

    def trial(self, deletion: Deletion, sandbox: Sandbox, place: Path) -> Trial:
        """Return a candidate with trees in `place`, none of which is written yet."""
        mined = self.mined
        return Trial(
            mined.snapshot, mined.environment, mined.baseline, deletion, self.language, sandbox,
            self.spec.settings, place / "task", place / "hidden", place / "gold", place,
        )  # fmt: skip


def mine_project(spec: RepositorySpec, work: Path, wanted: int) -> Project:
    """Mine a project, or take what was mined before. Raises `Rejected` if it has no candidates."""
    result = mine_job(spec, work, lambda *_: None)
    if result.mined is None:
        raise Rejected("cannot be measured", f"{spec.name}: {result.rejection}")
    return Project(spec, work, result.mined, result.costs, wanted)


def _made(project: Project) -> tuple[tuple[Deletion, ...], Made]:
    mined = project.mined
    discover_s = sum(cost.cpu_s for cost in project.costs if cost.stage == "discover")
    found: dict[tuple[str, ...], Deletion] = {}
    made = Made([], [], 0, 0, discover_s, [], [])
    features = _features(mined, project)
    before = own_cpu_s()
    for feature, is_single in features:
        made.discover_s += own_cpu_s() - before
        before = own_cpu_s()
        deletion = _delete(project, feature)
        spent = own_cpu_s() - before
        if deletion is not None and deletion.feature.definitions not in found:
            found[deletion.feature.definitions] = deletion
            made.delete_s.append(spent)
            made.features += not is_single
        else:
            made.refused += 1
            made.refused_s.append(spent)
        if len(found) >= project.wanted:
            break
        before = own_cpu_s()
    if not found:
        raise Rejected("cannot be measured", f"{project.name}: nothing can be removed")
    made.names = [deletion.feature.name for deletion in found.values()]
    made.tests = [list(map(str, deletion.feature.tests)) for deletion in found.values()]
    return tuple(found.values()), made


def _delete(project: Project, feature: Feature) -> Deletion | None:
    mined = project.mined
    try:
        return delete(
            mined.snapshot, mined.index, mined.baseline, feature, "removal", project.language,
            project.spec.settings,
        )  # fmt: skip
    except Rejected:
        return None


def _features(mined: Mined, project: Project) -> Iterator[tuple[Feature, bool]]:
    """Yield different features in a fixed order, and whether each is a single definition."""
    seen: set[tuple[str, ...]] = set()
    for feature, is_single in _all(mined, project):
        if feature.definitions not in seen:
            seen.add(feature.definitions)
            yield feature, is_single


def _all(mined: Mined, project: Project) -> Iterator[tuple[Feature, bool]]:
    yield from ((feature, False) for feature in mined.features)
    more = replace(project.spec.settings, max_candidates=project.wanted, max_overlap=0.9)
    yield from ((feature, False) for feature in discover(mined.index, mined.baseline, more))
    yield from ((feature, True) for feature in _single(mined, project))


def _single(mined: Mined, project: Project) -> Iterator[Feature]:
    """Yield each definition that few enough tests enter by itself."""
    relation = Relation(mined.index, mined.baseline)
    ranker = Ranker(relation, Cutter(relation))
    most = MOST_TESTS_SHARE * len(mined.baseline.tests)
    starts = [s for s in seeds(relation) if s.kind in ("definition", "class")]
    random.Random(project.spec.settings.seed).shuffle(starts)
    for seed in starts:
        if seed.tests.bit_count() <= most:
            members = frozenset(relation.members(seed.definition))
            yield ranker.feature(Piece(seed, members, seed.tests, 1.0, ()))
