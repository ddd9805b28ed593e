"""How much a piece reads like a feature that a maintainer would name."""

import re
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from hashlib import sha256

from featuredel.features.cut import Cutter, Piece
from featuredel.model import Definition, DefinitionId, Feature
from featuredel.relation import Relation, spoken_name, stem, words


@dataclass(frozen=True, slots=True)
class Marks:
    """What speaks for a piece, each in [0, 1]. Their weights stand in `_WEIGHTS`."""

    dense: float  # its definitions are entered by the same tests
    whole: float  # it is all that only these tests enter
    public: float  # share of its lines that are public, or serve what is
    documented: float  # the entry point has a docstring
    named: float  # tests are called after it
    direct: float  # tests name its entry point
    tested: float  # enough test functions for its lines, and not too many
    compact: float  # lines in its main file
    rooted: float  # lines that the entry point comes to
    unhindered: float  # little had to stay
    substantial: float  # more than a line or two
    single: float  # one thing, not several that were joined or happen to touch
    alone: float  # no further public name that users would call for its own sake


_WEIGHTS = Marks(
    dense=1.5,
    whole=1.0,
    public=1.5,
    documented=0.75,
    named=1.5,
    direct=1.5,
    tested=1.0,
    compact=0.75,
    rooted=2.0,
    unhindered=0.5,
    substantial=1.5,
    single=3.0,
    alone=2.0,
)

_SINGLE = 0.75
"""One thing has an entry point that comes to this share of its lines, or is this `dense`; of pieces
that were joined only the latter tells. Drawn from fifty diffs labelled without their rank."""

_MOST_ENTRIES = 12
"""How many definitions of a piece are weighed as its entry point."""


class Ranker:
    """Turns pieces into features."""

    def __init__(self, relation: Relation, cutter: Cutter) -> None:
        self.relation = relation
        self.cutter = cutter
        self._definitions = relation.index.definitions
        self._functions = [t.split("[", 1)[0] for t in relation.baseline.tests]
        self._spoken = [_plain(f.rsplit("/", 1)[-1]) for f in self._functions]
        self._by_test: dict[DefinitionId, int] = {}

    def feature(self, piece: Piece) -> Feature:
        """Return the piece as a feature, with its marks in one number."""
        tops = self.cutter.tops(piece.chosen)
        entry = self.entry(piece, tops)
        marks = self.marks(piece, tops, entry)
        definitions = self._collapsed(tops)
        return Feature(
            id=_identity(self._definitions[d] for d in definitions),
            name=self._name(piece, entry, definitions),
            seed=piece.seed.definition,
            seed_kind=piece.seed.kind,
            definitions=definitions,
            tests=self.relation.names(piece.tests),
            code_lines=self.cutter.lines(piece.chosen),
            density=round(self._density(piece, tops), 4),
            component_share=round(piece.component_share, 4),
            rank=round(_weighted(marks), 4),
        )

    # --- the entry point ---------------------------------------------------------------------

    def entry(self, piece: Piece, tops: tuple[DefinitionId, ...]) -> DefinitionId:
        """Return the definition that the feature is reached by."""
        candidates = [d for d in tops if self._definitions[d].kind != "constant"] or list(tops)

        def promise(d: DefinitionId) -> tuple[float, ...]:
            definition = self._definitions[d]
            share = (self.relation.tests(d) & piece.tests).bit_count() / piece.tests.bit_count()
            worth = definition.public + 0.5 * (definition.kind != "method")
            worth += 2 * self._direct(d, piece) + 0.5 * definition.documented + 1.5 * share
            return (-worth, -definition.code_lines)

        best = sorted(sorted(candidates), key=promise)[:_MOST_ENTRIES]
        return max(best, key=lambda d: 2 * self._rooted(piece, tops, d) - promise(d)[0])

    def _direct(self, d: DefinitionId, piece: Piece) -> float:
        """Return the share of the tests in whose own code `d` is named."""
        if d not in self._by_test:
            found, tests = 0, self.relation.index.test_paths
            for member in self.relation.members(d):
                for reference in self.relation.naming(member):
                    if reference.path in tests and reference.kind != "import":
                        found |= self.relation.tests(reference.holder)
            self._by_test[d] = found
        return (self._by_test[d] & piece.tests).bit_count() / piece.tests.bit_count()

    # --- marks -------------------------------------------------------------------------------

    def marks(self, piece: Piece, tops: tuple[DefinitionId, ...], entry: DefinitionId) -> Marks:
        """Return what speaks for a piece."""
        definition = self._definitions[entry]
        lines = max(self.cutter.lines(piece.chosen), 1)
        functions = {f for f, bit in zip(self._functions, _bits(piece.tests), strict=False) if bit}
        dense = min(1.0, self._density(piece, tops) / 0.7)
        rooted = self._rooted(piece, tops, entry)
        held_together = dense if piece.seed.kind == "joined" else max(dense, rooted)
        return Marks(
            dense=dense,
            whole=min(1.0, piece.component_share / 0.9),
            public=self._public(tops, definition, lines),
            documented=float(definition.documented),
            named=self._named(piece, tops, entry),
            direct=min(1.0, max(self._direct(d, piece) for d in tops) / 0.5),
            tested=_tested(len(functions), lines),
            compact=self._compact(tops, lines),
            rooted=rooted,
            unhindered=1.0 / (1 + len(piece.retreats)),
            substantial=min(1.0, lines / 30),
            single=float(held_together >= _SINGLE),
            alone=1.0 / (1 + self._others(tops, entry)),
        )

    def _others(self, tops: tuple[DefinitionId, ...], entry: DefinitionId) -> int:
        """Return how many public names share no telling word with the entry point's.

        Of fifty diffs labelled without their rank, twelve were no one thing, and half of these
        held a second public name that the first calls.
        """
        about = set(words(self._definitions[entry].qualname.rpartition(".")[2]))
        others = (self._definitions[d] for d in tops if d != entry)
        return sum(
            d.public and d.kind != "constant"
            and about.isdisjoint(words(d.qualname.rpartition(".")[2]))
            for d in others
        )  # fmt: skip

    def _density(self, piece: Piece, tops: tuple[DefinitionId, ...]) -> float:
        """Return the mean share of the tests that enter a definition, by lines."""
        weight = total = 0.0
        for d in tops:
            size = max(self._definitions[d].code_lines, 1)
            weight += size
            total += size * (self.relation.tests(d) & piece.tests).bit_count()
        return total / weight / piece.tests.bit_count()

    def _public(self, tops: tuple[DefinitionId, ...], entry: Definition, lines: int) -> float:
        shown = sum(self._definitions[d].code_lines for d in tops if self._definitions[d].public)
        return 0.6 * entry.public + 0.4 * min(1.0, 2 * shown / lines)

    def _named(self, piece: Piece, tops: tuple[DefinitionId, ...], entry: DefinitionId) -> float:
        """Return how many of the tests are called after the feature."""
        words = {w for d in (entry, *tops) for w in self._words(d)}
        tests = [s for s, bit in zip(self._spoken, _bits(piece.tests), strict=False) if bit]
        hits = sum(1 for spoken in tests if any(word in spoken for word in words))
        return min(1.0, hits / len(tests) / 0.6)

    def _words(self, d: DefinitionId) -> Iterable[str]:
        name = self._definitions[d].qualname.rsplit(".", 1)[-1]
        return {w for w in (_plain(name), stem(name)) if len(w) >= 4}

    def _rooted(self, piece: Piece, tops: tuple[DefinitionId, ...], entry: DefinitionId) -> float:
        """Return the share of the lines that the entry point comes to by what it names."""
        reached = self.relation.reach(entry, piece.chosen)
        sizes = {d: self._definitions[d].code_lines for d in tops}
        total = sum(sizes.values()) or 1
        whole = {d for d in tops if any(m in reached for m in self.relation.members(d))}
        return sum(sizes[d] for d in whole) / total

    def _compact(self, tops: tuple[DefinitionId, ...], lines: int) -> float:
        files: dict[str, int] = {}
        for d in tops:
            path = self._definitions[d].path
            files[path] = files.get(path, 0) + self._definitions[d].code_lines
        spread = max(files.values()) / lines
        return min(1.0, spread + 0.2)

    def _name(
        self, piece: Piece, entry: DefinitionId, definitions: tuple[DefinitionId, ...]
    ) -> str:
        """Return the module's name where all of it goes, else that of the entry point."""
        seed = piece.seed.definition
        module = DefinitionId(f"{self._definitions[entry].path}::")
        if piece.seed.kind == "source_module" and seed.endswith("/__init__.py::"):
            return spoken_name(self._definitions[seed])
        return spoken_name(self._definitions[module if module in definitions else entry])

    # --- the feature's definitions -----------------------------------------------------------

    def _collapsed(self, tops: tuple[DefinitionId, ...]) -> tuple[DefinitionId, ...]:
        """Return the tops, with a module for all of its definitions where nothing is left."""
        found = set(tops)
        for module in sorted({DefinitionId(f"{self._definitions[d].path}::") for d in tops}):
            if module in self.relation.index.pinned or module.endswith("__init__.py::"):
                continue
            inside = [
                c for c in self.relation.children(module) if self._definitions[c].kind != "constant"
            ]
            if inside and all(c in found or not self.relation.tests(c) for c in inside):
                found -= set(self.relation.children(module))
                found.add(module)
        return tuple(sorted(found))


def _tested(functions: int, lines: int) -> float:
    """Return 1 for a test function per 2 to 40 lines; less for a bare claim or a mere hook."""
    per_test = lines / max(functions, 1)
    if per_test < 2:
        return per_test / 2
    return 1.0 if per_test <= 40 else 40 / per_test


def _weighted(marks: Marks) -> float:
    weights, values = astuple(_WEIGHTS), astuple(marks)
    return float(sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights))


def _bits(bits: int) -> Iterable[bool]:
    return (c == "1" for c in bin(bits)[:1:-1])


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _identity(definitions: Iterable[Definition]) -> str:
    text = "\n".join(f"{d.id} {d.first_line} {d.last_line} {d.code_lines}" for d in definitions)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
