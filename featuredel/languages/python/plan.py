"""A deletion in the making: what is dead, what is cut, and what has to stay.

Nothing is written here, and nothing is decided: `planner.py` brings a plan to its end.
"""

import ast
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field

from featuredel.languages.python import asked
from featuredel.languages.python.bench import Bench
from featuredel.languages.python.cuts import Cut
from featuredel.languages.python.parsed import Function, Parsed
from featuredel.languages.python.sites import Removal, Site, Unwire, removal, stored_names
from featuredel.model import Definition, DefinitionId


@dataclass(frozen=True, slots=True)
class Done:
    """A removal, and the definition whose death called for it."""

    file: Parsed
    removal: Removal
    target: DefinitionId


@dataclass(slots=True)
class Plan:
    """What goes, over the original files. `dead` maps each definition to the one it follows."""

    bench: Bench
    tests: int  # T
    kept: Collection[DefinitionId]  # must stay, whatever happens
    dead: dict[DefinitionId, DefinitionId] = field(default_factory=dict)
    members: set[DefinitionId] = field(default_factory=set)  # of the dead, themselves included
    waiting: deque[DefinitionId] = field(default_factory=deque)  # members still to be unwired
    done: list[Done] = field(default_factory=list)
    blocked: dict[DefinitionId, str] = field(default_factory=dict)
    removed_files: set[str] = field(default_factory=set)
    _gone: dict[str, set[ast.AST]] = field(default_factory=dict)
    _cuts: set[Cut] = field(default_factory=set)
    _bound: dict[tuple[str, ast.AST | None, str], DefinitionId] = field(default_factory=dict)

    # --- the View of the rules

    def live(self, file: Parsed, first: int, last: int) -> bool:
        """Tell whether a test that stays, or an import, executes one of these lines."""
        imported = self.bench.imported.get(file.path, frozenset())
        return any(
            line in imported or self.bench.relation.line_tests(file.path, line) & ~self.tests
            for line in range(first, last + 1)
        )

    def tested(self, file: Parsed, first: int, last: int) -> bool:
        """Tell whether any test executes one of these lines."""
        lines = range(first, last + 1)
        return any(self.bench.relation.line_tests(file.path, line) for line in lines)

    def gone(self, file: Parsed, node: ast.AST) -> bool:
        """Tell whether `node` is cut already, by itself or with something around it."""
        gone = self._gone.get(file.path)
        return bool(gone) and any(at in (gone or ()) for at in file.around(node))

    def definition(self, of: DefinitionId) -> Definition | None:
        """Return what is known of a definition."""
        return self.bench.index.definitions.get(of)

    def untested(self, definition: DefinitionId) -> bool:
        """Tell whether no test at all enters a definition, nor an import."""
        relation = self.bench.relation
        return not relation.tests(definition) and not relation.at_import(definition)

    def may_die(self, definition: DefinitionId) -> bool:
        """Tell whether a definition can go: no test that stays needs it and nothing holds it."""
        known = self.definition(definition)
        if known is None or known.kind == "module" or definition in self.kept:
            return False
        if definition in self.bench.pinned or known.path in self.bench.index.test_paths:
            return False
        if self._is_field(known):
            return False
        if self.bench.relation.tests(definition) & ~self.tests:
            return False
        inside = set(self.bench.relation.members(definition))
        if inside & set(self.kept):
            return False
        heir = self.bench.takes_over(known) if known.kind == "method" else None
        return heir is None or heir.kind != "needed"  # its tests fail with what it needs

    def in_use(self, file: Parsed, key: ast.expr, target: DefinitionId) -> bool:
        """Tell whether code that stays may look up `target` under a key, and no test shows it.

        The tests that look up a function mostly call it, those that look up a class with an
        `__init__` make one: they are in T.
        """
        known = self.definition(target)
        first = DefinitionId(f"{target}.__init__")
        shown = first in self.bench.index.definitions
        shown = shown or (known is not None and known.kind in ("function", "method"))
        if isinstance(key, ast.Constant):
            if not isinstance(key.value, str):
                return False
            return asked.as_key(self, self.bench, key.value, only_defaults=shown)
        if shown:
            return False
        parts = key.elts if isinstance(key, ast.Tuple) else [key]
        meant = [self.bench.meant(file, part) for part in parts]
        return all(meant) and not any(d in self.members for ds in meant for d in ds)

    def follows(self, file: Parsed) -> bool:
        """Tell whether a file is no part of the project: it may lose whatever uses the dead."""
        return self.bench.follows(file.path)

    def constant(self, file: Parsed, node: ast.stmt) -> DefinitionId | None:
        """Return the constant that an assignment defines."""
        return self.bench.constant(file, node)

    # --- what becomes of definitions and files

    def kill(self, definition: DefinitionId, cause: DefinitionId) -> None:
        """Count a definition as dead because of `cause`, and cut its statements."""
        known = self.definition(definition)
        if known is None or definition in self.members:
            return
        if definition in self.bench.pinned:
            self.block(cause, "named by build configuration")
            return
        if self._is_field(known):
            self.block(cause, "a field of a class that stays")
            return
        self.dead[definition] = cause
        file = self.bench.sources.file(known.path)
        if file is not None:
            for node in file.statements_of(known):
                self.remove(file, removal(file, "statement", node), definition)
        for member in self.bench.relation.members(definition):
            if member not in self.members:
                self.members.add(member)
                self.waiting.append(member)

    def _is_field(self, known: Definition) -> bool:
        """Tell whether something outside the source may set or read a constant of a class."""
        file = self.bench.sources.file(known.path)
        for node in file.statements_of(known) if file is not None else ():
            holder = file.parents[node] if file is not None else None
            if isinstance(node, ast.AnnAssign) and isinstance(holder, ast.ClassDef):
                return node.value is None or bool(holder.decorator_list or holder.bases)
        return False

    def block(self, target: DefinitionId, reason: str) -> None:
        """Say that what the death of `target` follows from must stay; the first reason counts."""
        self.blocked.setdefault(self.root(target), reason)

    def remove(self, file: Parsed, what: Removal, target: DefinitionId) -> None:
        """Cut a piece of a file because `target` is dead."""
        if what.cut in self._cuts:
            return
        self._cuts.add(what.cut)
        gone = self._gone.setdefault(file.path, set())
        gone.update(what.gone)
        for node in what.gone:
            outer = file.parents.get(node)
            if isinstance(outer, ast.Import | ast.ImportFrom) and gone.issuperset(outer.names):
                gone.add(outer)
                what = Removal(what.cut, (*what.gone, outer))
        self.done.append(Done(file, what, target))
        for node in what.gone:
            scope = file.function(node)
            for name in stored_names([node]):
                self._bound.setdefault((file.path, scope, name), target)

    def carry_out(self, site: Site, what: Unwire) -> None:
        """Do what a rule says about a site."""
        for one in what.removals:
            self.remove(site.file, one, site.target)
        for definition in what.dead:
            self.kill(definition, self.dead_around(site.target))

    # --- what has become of them

    @property
    def progress(self) -> tuple[int, int]:
        """A value that changes with every cut and every death."""
        return len(self.done), len(self.dead)

    @property
    def touched(self) -> list[str]:
        """The files that something was cut from, sorted."""
        return sorted(self._gone)

    def cuts(self) -> dict[str, list[Cut]]:
        """Return the cuts of each file that stays."""
        found: dict[str, set[Cut]] = {}
        for one in self.done:
            if one.file.path not in self.removed_files:
                found.setdefault(one.file.path, set()).add(one.removal.cut)
        return {path: sorted(found[path]) for path in sorted(found)}

    def root(self, of: DefinitionId) -> DefinitionId:
        """Return the definition that was asked to die from which the death of `of` follows."""
        at = self.dead_around(of)
        while self.dead.get(at, at) != at:
            at = self.dead_around(self.dead[at])
        return at

    def dead_around(self, of: DefinitionId) -> DefinitionId:
        """Return the innermost of `of` and what it is part of that died by itself."""
        at: DefinitionId | None = of
        while at is not None and at not in self.dead:
            known = self.definition(at)
            at = known.parent if known is not None else None
        return of if at is None else at

    def blame(self, file: Parsed, function: Function | None, name: str) -> DefinitionId:
        """Return the dead definition whose cuts took a name away."""
        found = self._bound.get((file.path, function, name))
        return found or self._bound.get((file.path, None, name)) or self.any_cause(file)

    def any_cause(self, file: Parsed) -> DefinitionId:
        """Return a dead definition for which something was cut from a file."""
        return next(one.target for one in self.done if one.file is file)
