"""Plan a deletion, step back from what cannot be unwired, plan again; then edit the source."""

import ast
import copy
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import libcst

from featuredel.errors import Rejected
from featuredel.languages.python import cut
from featuredel.languages.python.bench import Bench
from featuredel.languages.python.cuts import Cut
from featuredel.languages.python.lint import new_faults, tree_faults
from featuredel.languages.python.parsed import Function, Parsed
from featuredel.languages.python.plan import Done, Plan
from featuredel.languages.python.planner import make_plan
from featuredel.languages.python.source import parse
from featuredel.model import DefinitionId, Feature, Retreat

_ROUNDS = 25
_MIN_CODE_LINES = 3
_SHARE_WITH_SEED = 0.3
_SHARE_WITHOUT_SEED = 0.5
"""What must be left of the feature's code lines: less of it is another feature."""
_COLLATERAL_FREE = 8
"""Lines inside retained functions that even a small feature may take with it."""
_GATING = frozenset(
    {"undefined name", "undefined export", "undefined local", "unused import", "redefinition"}
)


@dataclass(frozen=True, slots=True)
class Settled:
    """What is deleted after retreat, and how the source looks without it."""

    definitions: tuple[DefinitionId, ...]  # outermost only, sorted
    dead: frozenset[DefinitionId]  # with their members, and modules that go as files
    tests: int  # T
    edits: dict[str, bytes | None]
    retreats: tuple[Retreat, ...]
    code_lines: int
    collateral_lines: int
    seed: DefinitionId
    roots: Mapping[DefinitionId, DefinitionId]  # of every dead one: what to keep to keep it


class Retreating:
    """The search for the part of a feature that can be removed."""

    def __init__(self, bench: Bench, feature: Feature, max_collateral_share: float) -> None:
        self.bench = bench
        self.feature = feature
        self.max_collateral_share = max_collateral_share
        self.kept: dict[DefinitionId, str] = {}
        self.seed = feature.seed
        self.modules = frozenset(d for d in feature.definitions if d.endswith("::"))
        self.definitions = frozenset(
            part
            for d in feature.definitions
            for part in (bench.relation.children(d) if d in self.modules else (d,))
        )
        self.code_lines = self._code_lines(self.definitions)

    def branch(self) -> "Retreating":
        """Return a search that goes on from here by itself."""
        other = copy.copy(self)
        other.kept = dict(self.kept)
        return other

    def removal(self) -> Settled:
        """Return the deletion after retreat. Raises `Rejected` if too little is left."""
        plan = self._plan()
        edits = _edited(plan)
        lines = self._code_lines(_outermost(self.bench, plan.dead))
        return Settled(
            definitions=_outermost(self.bench, plan.dead),
            dead=frozenset(m for d in plan.dead for m in self._members(d)),
            tests=plan.tests,
            edits=edits,
            retreats=self.retreats(),
            code_lines=lines,
            collateral_lines=sum(_collateral(plan).values()),
            seed=self.seed,
            roots={m: plan.root(m) for d in plan.dead for m in self._members(d)},
        )

    def retreats(self) -> tuple[Retreat, ...]:
        """Return what was kept after all, and why."""
        return tuple(Retreat(d, self.kept[d]) for d in sorted(self.kept))

    def keep(self, blocked: dict[DefinitionId, str]) -> None:
        """Step back from what is blocked, to the part that hangs together with the seed."""
        self.kept.update(blocked)
        left = self.definitions - set(self.kept)
        if not left:
            raise Rejected("nothing left after retreat", self._reasons())
        if self.seed not in left:
            inside = [d for d in sorted(left) if self.bench.relation.encloses(self.seed, d)]
            self.seed = max(inside or sorted(left), key=lambda d: self._code_lines([d]))
        within = {m for d in left for m in self._members(d)}
        part = self.bench.relation.component(self.seed, within)
        self.definitions = frozenset(
            d for d in left if not part.isdisjoint(self.bench.relation.members(d))
        )
        share = _SHARE_WITH_SEED if self.seed == self.feature.seed else _SHARE_WITHOUT_SEED
        if self._code_lines(self.definitions) < self.code_lines * share:
            raise Rejected("nothing left after retreat", self._reasons())

    def _whole_modules(self) -> list[DefinitionId]:
        """Return the modules of the feature of which nothing has been kept."""
        children = self.bench.relation.children
        return [m for m in sorted(self.modules) if self.definitions.issuperset(children(m))]

    def _plan(self) -> Plan:
        for _ in range(_ROUNDS):
            tests = self.bench.relation.tests_of(self.definitions)
            if not tests:
                raise Rejected("no test reaches the feature", self._reasons())
            kept, modules = frozenset(self.kept), self._whole_modules()
            plan = make_plan(self.bench, tests, kept, self.definitions, modules)
            blocked = plan.blocked or self._too_much(plan)
            if not blocked:
                return plan
            self.keep(blocked)
        raise Rejected("retreat does not end", self._reasons())

    def _too_much(self, plan: Plan) -> dict[DefinitionId, str]:
        """Return what takes too many lines of retained functions with it."""
        by_cause = _collateral(plan)
        own = self._code_lines(_outermost(self.bench, plan.dead))
        if own < _MIN_CODE_LINES:
            raise Rejected("feature too small", f"{own} code lines")
        if sum(by_cause.values()) <= max(_COLLATERAL_FREE, own * self.max_collateral_share):
            return {}
        worst = max(sorted(by_cause), key=lambda d: by_cause[d])
        told = f"{by_cause[worst]} lines of retained functions would go with it"
        if len(self.definitions) == 1:
            raise Rejected("collateral too large", told)
        return {worst: told}

    def _members(self, of: DefinitionId) -> Iterator[DefinitionId]:
        if of.endswith("::"):
            yield of
        else:
            yield from self.bench.relation.members(of)

    def _code_lines(self, of: Iterable[DefinitionId]) -> int:
        known = self.bench.index.definitions
        return sum(known[d].code_lines for d in of if known[d].kind != "module")

    def _reasons(self) -> str:
        return "; ".join(f"{d}: {self.kept[d]}" for d in sorted(self.kept))


def _outermost(bench: Bench, dead: Collection[DefinitionId]) -> tuple[DefinitionId, ...]:
    """Return the definitions of `dead` that lie in no other of them.

    Modules are left out, and what is no part of the project.
    """
    found = []
    for d in sorted(dead):
        at = bench.index.definitions[d].parent
        while at is not None and (at not in dead or at.endswith("::")):
            at = bench.index.definitions[at].parent
        if at is None and not d.endswith("::") and not bench.follows(d.split("::")[0]):
            found.append(d)
    return tuple(found)


def _collateral(plan: Plan) -> dict[DefinitionId, int]:
    """Return the code lines cut inside retained functions, by the definition that they serve."""
    found: dict[DefinitionId, int] = {}
    counted: set[tuple[str, int]] = set()
    for one in plan.done:
        for node in one.removal.gone:
            if not isinstance(node, ast.stmt | ast.ExceptHandler) or not _retained(plan, one, node):
                continue
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                place = (one.file.path, line)
                if place not in counted and one.file.source.code_lines(line, line):
                    counted.add(place)
                    root = plan.root(one.target)
                    found[root] = found.get(root, 0) + 1
    return found


def _retained(plan: Plan, one: Done, node: ast.AST) -> bool:
    """Tell whether a node that is gone lies in a function of the project that stays."""
    if one.file.path in plan.removed_files or plan.follows(one.file):
        return False
    function = one.file.function(node)
    return function is not None and not plan.gone(one.file, function)


def _edited(plan: Plan) -> dict[str, bytes | None]:
    """Return the edited source files; what was cut twice over is checked against `prune`."""
    edits: dict[str, bytes | None] = dict.fromkeys(sorted(plan.removed_files))
    for path, cuts in plan.cuts().items():
        file = plan.bench.sources.file(path)
        assert file is not None
        edits[path] = _cut(file, cuts)
    return edits


def _cut(file: Parsed, cuts: list[Cut]) -> bytes:
    try:
        after = cut.apply(file.data, cuts, file.tree)
    except libcst.ParserSyntaxError as error:
        raise Rejected("cannot be cut", f"{file.path}: {error.message}") from error
    tree = parse(after)
    if tree is None:
        raise Rejected("cannot be cut", f"{file.path} does not parse afterwards")
    if ast.dump(tree) != ast.dump(file.without(cuts)):
        raise Rejected("cannot be cut", f"{file.path} is not what was planned")
    if any(fault.kind in _GATING for fault in file.new_faults(cuts)):
        faults = new_faults(file.faults, tree_faults(file.path, tree))  # in the order of the text
        told = [fault.told for fault in faults if fault.kind in _GATING]
        raise Rejected("lint", "; ".join(told))
    return after


def stubbed(bench: Bench, definitions: Iterable[DefinitionId]) -> dict[str, bytes | None]:
    """Return the source files with the bodies of `definitions` and their members gone.

    What runs while modules are imported keeps its body.
    """
    cuts: dict[str, list[Cut]] = {}
    for definition in sorted({m for d in definitions for m in bench.relation.members(d)}):
        known = bench.index.definitions[definition]
        file = bench.sources.file(known.path)
        if known.kind not in ("function", "method") or file is None:
            continue
        if bench.relation.at_import(definition):
            continue
        for node in file.statements_of(known):
            if isinstance(node, Function) and file.function(node) is None:
                place = Cut(known.path, node.lineno, node.col_offset, "stub")
                cuts.setdefault(known.path, []).append(place)
    edits: dict[str, bytes | None] = {}
    for path in sorted(cuts):
        file = bench.sources.file(path)
        assert file is not None
        edits[path] = cut.apply(file.data, cuts[path], file.tree)
    return edits
