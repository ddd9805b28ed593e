"""Find features worth deleting in the relation tests x definitions."""

from collections.abc import Iterable, Iterator

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.features.choose import Candidate, choose
from featuredel.features.cut import Cutter, Piece, Seed
from featuredel.features.rank import Ranker
from featuredel.features.seeds import joined, seeds
from featuredel.model import Baseline, DefinitionId, Feature, Index
from featuredel.relation import Relation

_MOST_TESTS_SHARE = 0.4
"""What more than this share of all tests hangs on is infrastructure, not a feature."""

_LEAST_DENSITY = 0.15
_LEAST_RANK = 0.35


def discover(index: Index, baseline: Baseline, settings: Settings) -> tuple[Feature, ...]:
    """Return the features to try, in the order in which to try them; the same for the same input.

    Raises `Rejected` if there is none.
    """
    relation = Relation(index, baseline)
    cutter = Cutter(relation)
    ranker = Ranker(relation, cutter)
    most_tests = int(_MOST_TESTS_SHARE * len(baseline.tests))
    found = _pieces(cutter, seeds(relation, most_tests), settings)
    found |= _pieces(cutter, joined(relation, tuple(found.values())), settings)
    candidates = list(_candidates(relation, ranker, found.values()))
    features = choose(candidates, settings.max_candidates, settings.max_overlap)
    if not features:
        raise Rejected("no feature found", f"{len(index.definitions)} definitions")
    return features


def _pieces(
    cutter: Cutter, starts: Iterable[Seed], settings: Settings
) -> dict[frozenset[DefinitionId], Piece]:
    """Cut each seed; of seeds that give the same piece the first counts."""
    found: dict[frozenset[DefinitionId], Piece] = {}
    for seed in starts:
        piece = cutter.cut(seed)
        if piece is None or piece.tests.bit_count() < settings.min_tests:
            continue
        if settings.min_lines <= cutter.lines(piece.chosen) <= settings.max_lines:
            found.setdefault(piece.chosen, piece)
    return found


def _candidates(relation: Relation, ranker: Ranker, pieces: Iterable[Piece]) -> Iterator[Candidate]:
    for piece in pieces:
        feature = ranker.feature(piece)
        if feature.density >= _LEAST_DENSITY and feature.rank >= _LEAST_RANK:
            yield Candidate(feature, {d: _own_lines(relation, d) for d in sorted(piece.chosen)})


def _own_lines(relation: Relation, d: DefinitionId) -> int:
    """Return the code lines of a definition that are of none in it."""
    definitions = relation.index.definitions
    inner = sum(definitions[c].code_lines for c in relation.children(d))
    return max(definitions[d].code_lines - inner, 0)
