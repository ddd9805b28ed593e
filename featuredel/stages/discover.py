"""Find features worth deleting in the relation tests x definitions."""

from collections.abc import Iterable, Iterator

from featuredel.config import Settings
from featuredel.errors import Rejected
from featuredel.features.choose import Candidate, choose
from featuredel.features.cut import Cutter, Piece, Seed
from featuredel.features.rank import Ranker
from featuredel.features.seeds import clusters, families, pairs, seeds
from featuredel.model import Baseline, DefinitionId, Feature, Index
from featuredel.relation import Relation

_MOST_TESTS_SHARE = 0.4
"""What more than this share of all tests hangs on is infrastructure, not a feature."""

_MOST_TESTS_SHARE_LARGE = 0.6
_LARGE_LINES = 100
"""A subsystem may take more of the tests with it."""

_SPARE = 2
"""Features offered for each that may be tried: many turn out not to be removable."""

_MOST_DATA = 0.5
_LEAST_DENSITY = 0.15
_LEAST_RANK = 0.35


def discover(index: Index, baseline: Baseline, settings: Settings) -> tuple[Feature, ...]:
    """Return the features to try, in the order in which to try them; the same for the same input.

    Raises `Rejected` if there is none.
    """
    relation = Relation(index, baseline)
    cutter = Cutter(relation)
    ranker = Ranker(relation, cutter)
    found = _pieces(cutter, seeds(relation), settings)
    single = tuple(found.values())
    for joined in (families, pairs, clusters):
        found = _pieces(cutter, joined(relation, single), settings) | found
    candidates = list(_candidates(relation, ranker, found.values()))
    features = choose(candidates, _SPARE * settings.max_candidates, settings.max_overlap)
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
        if piece is not None and _worth(piece, cutter, settings):
            found.setdefault(piece.chosen, piece)
    return found


def _worth(piece: Piece, cutter: Cutter, settings: Settings) -> bool:
    lines = cutter.lines(piece.chosen)
    share = _MOST_TESTS_SHARE if lines < _LARGE_LINES else _MOST_TESTS_SHARE_LARGE
    all_tests = len(cutter.relation.baseline.tests)
    return (
        settings.min_lines <= lines <= settings.max_lines
        and settings.min_tests <= piece.tests.bit_count() <= share * all_tests
    )


def _candidates(relation: Relation, ranker: Ranker, pieces: Iterable[Piece]) -> Iterator[Candidate]:
    definitions = relation.index.definitions
    for piece in pieces:
        constants = [d for d in piece.chosen if definitions[d].kind == "constant"]
        lines = sum(definitions[d].code_lines for d in constants)
        if lines > _MOST_DATA * ranker.cutter.lines(piece.chosen) or piece.chosen == set(constants):
            continue  # a table of data is looked up, not written
        feature = ranker.feature(piece)
        if feature.density >= _LEAST_DENSITY and feature.rank >= _LEAST_RANK:
            yield Candidate(feature, {d: _own_lines(relation, d) for d in sorted(piece.chosen)})


def _own_lines(relation: Relation, d: DefinitionId) -> int:
    """Return the code lines of a definition that are of none in it."""
    definitions = relation.index.definitions
    inner = sum(definitions[c].code_lines for c in relation.children(d))
    return max(definitions[d].code_lines - inner, 0)
