"""Where features start: definitions, classes, test classes and modules, source modules."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from featuredel.features.cut import Piece, Seed
from featuredel.model import DefinitionId, SeedKind
from featuredel.relation import Relation, words

_MOST_TESTS_SHARE = 0.8
_MOST_IN_FAMILY = 8
"""A word that more pieces share is too general to name a feature."""

_MOST_IN_CLUSTER = 6
"""What touches more pieces than this is a crossing, not a centre."""


def seeds(relation: Relation) -> Iterator[Seed]:
    """Yield the seeds of a tree in a fixed order, leaving out what nearly every test enters."""
    most = _MOST_TESTS_SHARE * len(relation.baseline.tests)
    for seed in (*_definitions(relation), *_modules(relation), *_test_groups(relation)):
        if 0 < seed.tests.bit_count() <= most:
            yield seed


def _definitions(relation: Relation) -> Iterator[Seed]:
    definitions = relation.index.definitions
    for d in relation.entered:
        definition = definitions[d]
        outer = definitions[definition.parent] if definition.parent is not None else None
        if outer is None or outer.kind in ("function", "method") or definition.kind == "constant":
            continue
        kind: SeedKind = "class" if definition.kind == "class" else "definition"
        yield Seed(d, kind, (d,), relation.tests(d))


def _modules(relation: Relation) -> Iterator[Seed]:
    """Yield every source module, and every folder of several below the top."""
    index = relation.index
    inside: dict[DefinitionId, list[DefinitionId]] = defaultdict(list)
    folders: dict[str, list[DefinitionId]] = defaultdict(list)
    for d in relation.entered:
        definition = index.definitions[d]
        module = DefinitionId(f"{definition.path}::")
        if definition.parent == module:
            inside[module].append(d)
            for folder in _folders(definition.path):
                folders[folder].append(d)
    for module, members in inside.items():
        yield Seed(module, "source_module", tuple(members), relation.tests_of(members))
    for folder, members in sorted(folders.items()):
        module = DefinitionId(f"{folder}/__init__.py::")
        if module in index.definitions and len({m.split("::")[0] for m in members}) > 1:
            yield Seed(module, "source_module", tuple(members), relation.tests_of(members))


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    for end in range(1, len(parts) + 1):
        yield "/".join(parts[:end])


def _test_groups(relation: Relation) -> Iterator[Seed]:
    """Yield every test class and test module: all that only it enters."""
    groups: dict[tuple[SeedKind, DefinitionId], int] = defaultdict(int)
    for bit, test in enumerate(relation.baseline.tests):
        path, *names = test.split("[", 1)[0].split("::")
        groups["test_module", DefinitionId(f"{path}::")] |= 1 << bit
        if len(names) > 1:
            holder = DefinitionId(f"{path}::{'.'.join(names[:-1])}")
            groups["test_class", holder] |= 1 << bit
    for (kind, definition), tests in sorted(groups.items()):
        if definition in relation.index.definitions:
            yield Seed(definition, kind, (), tests)


def families(relation: Relation, pieces: Iterable[Piece]) -> Iterator[Seed]:
    """Yield pieces that belong together by name: the functions of one package about one thing."""
    groups: dict[tuple[str, str], list[Piece]] = defaultdict(list)
    for piece in _single(pieces):
        definition = relation.index.definitions[piece.seed.definition]
        around = definition.parent if definition.kind == "method" else _folder(definition.path)
        for word in words(definition.qualname.rsplit(".", 1)[-1]):
            groups[str(around), word].append(piece)
    for _, family in sorted(groups.items()):
        if 1 < len(family) <= _MOST_IN_FAMILY:
            yield _union(relation, family)


def pairs(relation: Relation, pieces: Iterable[Piece]) -> Iterator[Seed]:
    """Yield two pieces as one where one names the other."""
    for one, others in _touching(relation, tuple(_single(pieces))):
        yield from (_union(relation, [one, other]) for other in others)


def clusters(relation: Relation, pieces: Iterable[Piece]) -> Iterator[Seed]:
    """Yield a piece with all the pieces that it names or that name it."""
    for one, others in _touching(relation, tuple(_single(pieces)), both_ways=True):
        if 1 < len(others) <= _MOST_IN_CLUSTER:
            yield _union(relation, [one, *others])


def _touching(
    relation: Relation, pieces: tuple[Piece, ...], both_ways: bool = False
) -> Iterator[tuple[Piece, list[Piece]]]:
    """Yield each piece with those apart from it that hang together with it."""
    owners: dict[DefinitionId, list[int]] = defaultdict(list)
    for number, piece in enumerate(pieces):
        for d in piece.chosen:
            owners[d].append(number)
    for number, piece in enumerate(pieces):
        beside = {n for d in piece.chosen for n in relation.neighbours(d)} - piece.chosen
        others = {o for n in beside for o in owners.get(n, ()) if both_ways or o > number}
        apart = [pieces[o] for o in sorted(others) if piece.chosen.isdisjoint(pieces[o].chosen)]
        if apart:
            yield piece, apart


def _single(pieces: Iterable[Piece]) -> Iterator[Piece]:
    return (piece for piece in pieces if piece.seed.kind in ("definition", "class"))


def _union(relation: Relation, pieces: list[Piece]) -> Seed:
    start = tuple(dict.fromkeys(d for piece in pieces for d in piece.seed.start))
    tests = relation.tests_of(d for piece in pieces for d in sorted(piece.chosen))
    return Seed(start[0], "joined", start, tests)


def _folder(path: str) -> str:
    return path.rsplit("/", 1)[0] if "/" in path else ""
