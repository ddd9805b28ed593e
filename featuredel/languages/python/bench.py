"""What the planner knows of a repository, gathered once and shared by all its candidates."""

import ast
import builtins
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from featuredel.languages.python.aside import follows
from featuredel.languages.python.parsed import Parsed, Sources
from featuredel.languages.python.unchanging import Unchanging
from featuredel.model import Baseline, Definition, DefinitionId, Index, Reference
from featuredel.relation import Relation

_FUNDAMENTAL = frozenset(
    f"__{name}__"
    for name in ("new", "init", "init_subclass", "hash", "setattr", "delattr", "getattribute")
)


@dataclass(frozen=True, slots=True)
class Heir:
    """What takes over from a method that goes. `needed`: the class cannot do without its own."""

    name: str
    kind: Literal["object", "base", "builtin", "needed"]


class Bench(Unchanging):
    """Files, references and the relation of one repository."""

    def __init__(self, root: Path, index: Index, baseline: Baseline) -> None:
        super().__init__()
        self.root = root
        self.index = index
        self.relation = Relation(index, baseline)
        self.sources = Sources(root)
        self.imported = baseline.lines.imported
        self.held_by: dict[DefinitionId, list[Reference]] = defaultdict(list)
        self.bases: dict[DefinitionId, list[DefinitionId]] = defaultdict(list)
        self.named: dict[DefinitionId, list[Reference]] = defaultdict(list)
        for reference in index.references:
            self.held_by[reference.holder].append(reference)
            self.named[reference.target].append(reference)
            if reference.kind == "base":
                self.bases[reference.holder].append(reference.target)
        self.at: dict[tuple[str, int, int], list[Reference]] = defaultdict(list)
        for reference in index.references:
            self.at[reference.path, reference.line, reference.column].append(reference)
        self.perhaps: dict[DefinitionId, list[Reference]] = defaultdict(list)
        for reference in index.ambiguous:
            self.perhaps[reference.target].append(reference)
        self.pinned = frozenset(d for d in index.pinned if not self.follows(d.split("::")[0]))
        self._constants: dict[tuple[str, int, str], DefinitionId] = {}
        for definition in index.definitions.values():
            if definition.kind == "constant":
                name = definition.qualname.rsplit(".", 1)[-1]
                for first, _ in definition.spans:
                    self._constants[definition.path, first, name] = definition.id

    def follows(self, path: str) -> bool:
        """Return whether a file only shows or measures the project."""
        return follows(path) and path not in self.index.test_paths

    def constant(self, file: Parsed, node: ast.stmt) -> DefinitionId | None:
        """Return the constant that an assignment defines."""
        goals = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        goal = goals[0] if len(goals) == 1 else None
        if not isinstance(goal, ast.Name):
            return None
        return self._constants.get((file.path, node.lineno, goal.id))

    def meant(self, file: Parsed, node: ast.AST) -> tuple[DefinitionId, ...]:
        """Return what a name or attribute stands for."""
        place = (file.path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        return tuple(r.target for r in self.at.get(place, ()) if file.find(r) is node)

    def ancestors(self, of: DefinitionId) -> list[DefinitionId]:
        """Return the classes of the tree that a class inherits from, nearest first."""
        found: list[DefinitionId] = []
        waiting = list(self.bases[of])
        while waiting:
            base = waiting.pop(0)
            if base not in found and base != of:
                found.append(base)
                waiting.extend(self.bases[base])
        return found

    def takes_over(self, method: Definition) -> Heir | None:
        """Return what takes over when a method goes from its class, if anything does."""
        if method.parent is None:
            return None
        name = method.qualname.rsplit(".", 1)[-1]
        if hasattr(object, name):
            return Heir("object", "needed" if name in _FUNDAMENTAL else "object")
        lineage = [method.parent, *self.ancestors(method.parent)]
        for base in lineage[1:]:
            path, _, qualname = base.partition("::")
            held = self.index.definitions.get(DefinitionId(f"{path}::{qualname}.{name}"))
            if held is not None:
                return Heir(qualname, "needed" if held.abstract else "base")
        for one in lineage:
            for outer in self._foreign_bases(one):
                if hasattr(outer, name):
                    return Heir(outer.__name__, "builtin")
        return None

    def _foreign_bases(self, of: DefinitionId) -> list[type]:
        """Return the builtin types among the bases of a class."""
        definition = self.index.definitions.get(of)
        file = self.sources.file(definition.path) if definition is not None else None
        if definition is None or file is None:
            return []
        found = []
        for node in file.statements_of(definition):
            for base in getattr(node, "bases", ()):
                kind = getattr(builtins, getattr(base, "id", ""), None)
                if isinstance(kind, type):
                    found.append(kind)
        return found
