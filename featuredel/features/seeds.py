"""Where features start: definitions, classes, test classes and modules, source modules."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from featuredel.features.cut import Piece, Seed
from featuredel.model import DefinitionId, SeedKind
from featuredel.relation import Relation, stem


def seeds(relation: Relation, most_tests: int) -> Iterator[Seed]:
    """Yield the seeds of a tree in a fixed order; none reached by more than `most_tests` tests."""
    for seed in (*_definitions(relation), *_modules(relation), *_test_groups(relation)):
        if 0 < seed.tests.bit_count() <= most_tests:
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


def joined(relation: Relation, pieces: Iterable[Piece]) -> Iterator[Seed]:
    """Yield families: pieces whose entries are about the same thing, in one file."""
    families: dict[tuple[str, str], list[Piece]] = defaultdict(list)
    definitions = relation.index.definitions
    for piece in pieces:
        if piece.seed.kind not in ("definition", "class"):
            continue
        definition = definitions[piece.seed.definition]
        about = stem(definition.qualname.rsplit(".", 1)[-1])
        if about and definition.kind != "method":
            families[definition.path, about].append(piece)
    for family in (f for _, f in sorted(families.items()) if len(f) > 1):
        start = tuple(sorted({d for piece in family for d in piece.seed.start}))
        if len(start) > 1:
            tests = relation.tests_of(d for piece in family for d in piece.chosen)
            yield Seed(start[0], "joined", start, tests)


def called(relation: Relation, pieces: Iterable[Piece]) -> Iterator[Seed]:
    """Yield pairs of pieces of which one names the other."""
    owners: dict[DefinitionId, list[Piece]] = defaultdict(list)
    ordered = list(pieces)
    for piece in ordered:
        for d in piece.chosen:
            owners[d].append(piece)
    for one, other in combinations(ordered, 2):
        if one.chosen.isdisjoint(other.chosen) and _touch(relation, one, other):
            start = tuple(sorted({*one.chosen, *other.chosen}))
            yield Seed(one.seed.definition, "joined", start, one.tests | other.tests)


def _touch(relation: Relation, one: Piece, other: Piece) -> bool:
    smaller, larger = sorted((one.chosen, other.chosen), key=len)
    return any(n in larger for d in smaller for n in relation.neighbours(d))
