"""Decide what to cut so that nothing names what is dead: a fixed point over the original files.

Nothing is written here. A plan that meets a place that cannot be unwired says which definition
must stay; `delete.py` then retreats from it and plans again.
"""

import ast
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from featuredel.languages.python.aside import is_configuration
from featuredel.languages.python.bench import Bench
from featuredel.languages.python.cut import Cut
from featuredel.languages.python.lint import Fault, new_faults, tree_faults
from featuredel.languages.python.parsed import Function, Parsed, fresh_tree, lines_of
from featuredel.languages.python.prune import prune
from featuredel.languages.python.rules import RULES, exports, statements
from featuredel.languages.python.sites import (
    Decision,
    Removal,
    Site,
    Unwire,
    removal,
    stored_names,
)
from featuredel.languages.python.source import docstring
from featuredel.model import Definition, DefinitionId, Reference

_ROUNDS = 40
_SHORTEST_KEY = 3
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)


@dataclass(frozen=True, slots=True)
class Done:
    """A removal, and the definition whose death called for it."""

    file: Parsed
    removal: Removal
    target: DefinitionId


@dataclass(slots=True)
class Plan:
    """A deletion in the making. `dead` maps each dead definition to the one it follows."""

    bench: Bench
    tests: int  # T
    kept: Collection[DefinitionId]  # must stay, whatever happens
    dead: dict[DefinitionId, DefinitionId] = field(default_factory=dict)
    done: list[Done] = field(default_factory=list)
    blocked: dict[DefinitionId, str] = field(default_factory=dict)
    removed_files: set[str] = field(default_factory=set)
    _gone: dict[str, set[ast.AST]] = field(default_factory=dict)
    _cuts: set[Cut] = field(default_factory=set)
    _waiting: deque[DefinitionId] = field(default_factory=deque)
    _members: set[DefinitionId] = field(default_factory=set)  # of the dead, themselves included
    _weak: list[Reference] = field(default_factory=list)
    _linted: dict[str, int] = field(default_factory=dict)  # path -> cuts when it was last linted
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
            return isinstance(key.value, str) and self._asked(key.value, only_defaults=shown)
        if shown:
            return False
        parts = key.elts if isinstance(key, ast.Tuple) else [key]
        meant = [self.bench.meant(file, part) for part in parts]
        return all(meant) and not any(d in self._members for ds in meant for d in ds)

    def _asked(self, key: str, *, only_defaults: bool) -> bool:
        """Tell whether a function that stays hands a string on or has it as a default."""
        for path in sorted(self.bench.imported.keys() - self.bench.index.test_paths):
            file = self.bench.sources.file(path) if path.endswith(".py") else None
            for node in file.strings.get(key, ()) if file is not None else ():
                if file is None or self.gone(file, node) or not self._handed_on(file, node):
                    continue
                if only_defaults and not isinstance(file.parents[node], ast.arguments):
                    continue
                if self.live(file, node.lineno, node.lineno):
                    return True
        return False

    def _handed_on(self, file: Parsed, node: ast.Constant) -> bool:
        outer = file.parents[node]
        if isinstance(outer, ast.arguments):
            return True
        if file.function(node) is None or (isinstance(outer, ast.Dict) and node in outer.keys):
            return False
        return not isinstance(outer, ast.Compare | ast.Expr | ast.JoinedStr)

    def follows(self, file: Parsed) -> bool:
        """Tell whether a file is no part of the project: it may lose whatever uses the dead."""
        return self.bench.follows(file.path)

    def constant(self, file: Parsed, node: ast.stmt) -> DefinitionId | None:
        """Return the constant that an assignment defines."""
        return self.bench.constant(file, node)

    # --- running

    def run(
        self, definitions: Iterable[DefinitionId], modules: Iterable[DefinitionId] = ()
    ) -> None:
        """Kill `definitions` and unwire until nothing names anything dead.

        Of `modules` nothing is to be left; all that they define is among the definitions.
        """
        for definition in sorted(definitions):
            self._kill(definition, definition)
        for module in sorted(modules):
            self._empty(module)
        for _ in range(_ROUNDS):
            self._drain()
            if self.blocked or not self._settle():
                break
        if not self.blocked:
            self._check_classes()
            self._check_functions()

    def cuts(self) -> dict[str, list[Cut]]:
        """Return the cuts of each file that stays."""
        found: dict[str, set[Cut]] = {}
        for one in self.done:
            if one.file.path not in self.removed_files:
                found.setdefault(one.file.path, set()).add(one.removal.cut)
        return {path: sorted(found[path]) for path in sorted(found)}

    def root(self, of: DefinitionId) -> DefinitionId:
        """Return the definition that was asked to die from which the death of `of` follows."""
        at = self._dead_around(of)
        while self.dead.get(at, at) != at:
            at = self._dead_around(self.dead[at])
        return at

    def _dead_around(self, of: DefinitionId) -> DefinitionId:
        at: DefinitionId | None = of
        while at is not None and at not in self.dead:
            known = self.definition(at)
            at = known.parent if known is not None else None
        return of if at is None else at

    # --- death

    def _kill(self, definition: DefinitionId, cause: DefinitionId) -> None:
        known = self.definition(definition)
        if known is None or definition in self._members:
            return
        if definition in self.bench.pinned:
            self._block(cause, "named by build configuration")
            return
        self.dead[definition] = cause
        file = self.bench.sources.file(known.path)
        for node in file.statements_of(known) if file is not None else ():
            self._remove(file, removal(file, "statement", node), definition)  # type: ignore[arg-type]
        for member in self.bench.relation.members(definition):
            if member not in self._members:
                self._members.add(member)
                self._waiting.append(member)

    def _empty(self, module: DefinitionId) -> None:
        """Cut what a module that goes as a whole does besides defining things."""
        file = self.bench.sources.file(module.removesuffix("::"))
        for node in file.tree.body if file is not None else ():
            is_doc = isinstance(node, ast.Expr) and node.value is docstring(file.tree)  # type: ignore[union-attr]
            if file is not None and not is_doc and not self.gone(file, node) and self.done:
                target = next((d.target for d in self.done if d.file is file), self.done[0].target)
                self._remove(file, removal(file, "statement", node), target)

    def _block(self, target: DefinitionId, reason: str) -> None:
        self.blocked.setdefault(self.root(target), reason)

    def _remove(self, file: Parsed, what: Removal, target: DefinitionId) -> None:
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

    # --- references

    def _drain(self) -> None:
        while self._waiting:
            target = self._waiting.popleft()
            for reference in self.bench.named[target]:
                if reference.strong:
                    self._reference(reference)
                else:
                    self._weak.append(reference)
            for reference in self.bench.perhaps[target]:
                self._asked_for(reference)
            self._listed(target)
            self._fetched(target)
        weak, self._weak = self._weak, []
        for reference in weak:
            self._asked_for(reference)
            self._reference(reference)
        if self._waiting:
            self._drain()

    def _reference(self, reference: Reference) -> None:
        if reference.path in self.bench.index.test_paths:
            return
        file = self.bench.sources.file(reference.path)
        node = file.find(reference) if file is not None else None
        if file is None or node is None or node is file.tree or self.gone(file, node):
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            return  # names a module on the way to what it imports
        if not reference.strong and isinstance(node, ast.Constant):
            self._keys(reference, str(node.value))
        if not reference.strong and not self._worth(file, node, reference):
            return
        self._unwire(
            Site(file, node, reference.target, reference.holder, reference.kind, reference.strong)
        )

    def _asked_for(self, reference: Reference) -> None:
        """Block what code that stays asks for by name: `hasattr(x, "validate")`."""
        if reference.kind != "string" or reference.path in self.bench.index.test_paths:
            return
        if reference.target not in self.dead:
            return  # a member of a class that goes as a whole
        file = self.bench.sources.file(reference.path)
        node = file.find(reference) if file is not None else None
        if file is None or not isinstance(node, ast.Constant) or self.gone(file, node):
            return
        named = node.value == reference.target.rsplit("::", 1)[-1].rsplit(".", 1)[-1]
        if named and self.live(file, reference.line, reference.line):
            self._block(reference.target, f"asked for by name ({file.path}:{reference.line})")

    def _listed(self, target: DefinitionId) -> None:
        """Cut the name out of lists of names in its own module, a module's in its package."""
        path, _, name = target.partition("::")
        if not name:
            folder, _, name = path.removesuffix(".py").rpartition("/")
            path = f"{folder}/__init__.py"
        file = self.bench.sources.file(path)
        for node in file.listed.get(name, ()) if file is not None else ():
            if file is not None and not self.gone(file, node):
                self._remove(file, removal(file, "element", node), target)

    def _fetched(self, target: DefinitionId) -> None:
        """Block an attribute of a retained class that other code which runs reads by name."""
        known = self.definition(target)
        if known is None or known.parent in self._members or target not in self.dead:
            return
        parent = self.definition(known.parent) if known.parent is not None else None
        if parent is None or parent.kind != "class" or known.kind not in ("class", "constant"):
            return
        name = known.qualname.rsplit(".", 1)[-1]
        for path in sorted(self.bench.imported.keys() - self.bench.index.test_paths):
            file = self.bench.sources.file(path) if path.endswith(".py") else None
            for node in file.attributes.get(name, ()) if file is not None else ():
                if file is None or self.gone(file, node):
                    continue
                if self.live(file, node.lineno, node.lineno):
                    self._block(target, f"read by code that stays ({path}:{node.lineno})")
                    return

    def _keys(self, reference: Reference, prefix: str) -> None:
        """Unwire the keys by which `getattr(self, "parse_" + key)` reaches what is dead.

        They stand in the file of the dispatch or of what it reaches.
        """
        path, _, qualname = reference.target.partition("::")
        name = qualname.rsplit(".", 1)[-1]
        key = name.removeprefix(prefix)
        if key == name or len(key) < _SHORTEST_KEY:
            return
        for place in sorted({path, reference.path}):
            file = self.bench.sources.file(place)
            for node in file.strings.get(key, ()) if file is not None else ():
                if file is not None and not self.gone(file, node):
                    holder = self._holder_of(file, node)
                    self._unwire(Site(file, node, reference.target, holder, "string", False))

    def _worth(self, file: Parsed, node: ast.AST, reference: Reference) -> bool:
        """Tell whether a weak reference is likely meant: no test that stays runs its line."""
        if isinstance(node, ast.Constant):
            name = reference.target.rsplit("::", 1)[-1].rsplit(".", 1)[-1]
            if node.value != name:
                return False  # the start of a name that is put together
        return not self.live(file, reference.line, reference.line)

    def _unwire(self, site: Site) -> None:
        if is_configuration(site.file.path):
            self._block(site.target, f"build configuration names it ({_place(site)})")
            return
        decision = self._decide(site)
        if isinstance(decision, Unwire):
            self._carry_out(site, decision)
        elif site.strong:
            reason = decision.reason if decision is not None else "a line that other tests run"
            self._block(site.target, f"{reason} ({_place(site)})")

    def _decide(self, site: Site) -> Decision:
        refused: Decision = None
        for rule in RULES:
            decision = rule(site, self)
            if isinstance(decision, Unwire):
                return decision
            if decision is not None:
                refused = decision
                break
        holder = self._holder(site)
        if site.strong and holder is not None and self.may_die(holder):
            return Unwire(dead=(holder,))
        return refused

    def _holder(self, site: Site) -> DefinitionId | None:
        """Return the outermost function, method or constant around the site below a class."""
        at = self.definition(site.holder)
        while at is not None and at.parent is not None:
            above = self.definition(at.parent)
            if above is None or above.kind not in ("function", "method"):
                return at.id if at.kind != "class" else None
            at = above
        return None

    def _carry_out(self, site: Site, what: Unwire) -> None:
        for one in what.removals:
            self._remove(site.file, one, site.target)
        for definition in what.dead:
            self._kill(definition, self._dead_around(site.target))

    # --- what follows

    def _settle(self) -> bool:
        """Cut what has become empty, unused or undefined; tell whether there was anything."""
        before = (len(self.done), len(self.dead))
        while self._empty_arms():
            pass
        self._unused_helpers()
        if (len(self.done), len(self.dead)) == before:
            for path in sorted(self._gone):
                self._lint(path)
        if (len(self.done), len(self.dead)) == before:
            self._modules()
        if (len(self.done), len(self.dead)) == before:
            self._shells()
        return (len(self.done), len(self.dead)) != before

    def _shells(self) -> None:
        """Kill the functions of which little is left and that no test outside T enters."""
        for file, function, causes in self._hollow():
            definition = self._holder_of(file, function)
            if self.may_die(definition):
                self._kill(definition, self._dead_around(causes[0].target))

    def _empty_arms(self) -> bool:
        before = len(self.done)
        for one in list(self.done):
            for node in one.removal.gone:
                outer = one.file.parents.get(node)
                if outer is None or self.gone(one.file, outer) or not isinstance(node, ast.stmt):
                    continue
                site = Site(one.file, node, one.target, one.target, "name", strong=False)
                decision = statements.empty_arms(site, self)
                if isinstance(decision, Unwire):
                    self._carry_out(site, decision)
        return len(self.done) > before

    def _unused_helpers(self) -> None:
        """Kill private definitions that only dead code used."""
        for dead in list(self._members):
            for reference in self.bench.held_by[dead]:
                target = self.definition(reference.target)
                if target is None or target.id in self._members or not _private(target):
                    continue
                if self.may_die(target.id) and not self._used(target.id):
                    self._kill(target.id, self._dead_around(dead))

    def _used(self, definition: DefinitionId) -> bool:
        inside = set(self.bench.relation.members(definition))
        for reference in (*self.bench.named[definition], *self.bench.perhaps[definition]):
            if reference.holder in inside or reference.kind == "import":
                continue
            file = self.bench.sources.file(reference.path)
            node = file.find(reference) if file is not None else None
            if file is not None and node is not None and not self.gone(file, node):
                return True
        return False

    # --- lint

    def _lint(self, path: str) -> None:
        cuts = self.cuts().get(path, [])
        if path in self.removed_files or self._linted.get(path) == len(cuts):
            return
        self._linted[path] = len(cuts)
        file = self.bench.sources.file(path)
        if file is None:
            return
        after = tree_faults(path, prune(fresh_tree(file), cuts))
        for fault in new_faults(file.faults, after):
            self._mend(file, fault)

    def _mend(self, file: Parsed, fault: Fault) -> None:
        nodes = file.places.get((fault.line, fault.column), [])
        if fault.kind == "unused import":
            self._unused_import(file, fault, nodes)
        elif fault.kind == "undefined export":
            self._undefined_export(file, fault)
        elif fault.kind in ("undefined name", "undefined local"):
            for node in nodes:
                if isinstance(node, ast.Name) and node.id == fault.name:
                    self._undefined(file, node)
        elif fault.kind == "unused variable":
            for node in nodes:
                if isinstance(node, ast.Name) and node.id == fault.name:
                    self._unused_variable(file, node)
                elif isinstance(node, ast.ExceptHandler) and node.name == fault.name:
                    self._unbind(file, node, node)

    def _unused_import(self, file: Parsed, fault: Fault, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for alias in node.names:
                if _told(node, alias) != fault.name:
                    continue
                if self._taken_from(file, node, alias):
                    name = (alias.asname or alias.name).split(".")[0]
                    self._block(self._user(file, name), f"others take {name} from {file.path}")
                else:
                    self._remove(file, removal(file, "alias", alias), self._any_target(file))

    def _user(self, file: Parsed, name: str) -> DefinitionId:
        """Return a dead definition that used an imported name."""
        for one in self.done:
            for node in one.removal.gone if one.file is file else ():
                if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node)):
                    return one.target
        return self._any_target(file)

    def _taken_from(self, file: Parsed, node: ast.stmt, alias: ast.alias) -> bool:
        """Tell whether another file imports what this import brings into `file`."""
        module = DefinitionId(f"{file.path}::")
        name = alias.asname or alias.name
        for reference in self.bench.named[module]:
            other = self.bench.sources.file(reference.path)
            found = other.find(reference) if other is not None else None
            if other is None or found is None or found is node or self.gone(other, found):
                continue
            if isinstance(found, ast.ImportFrom):
                taken = (a for a in found.names if a.name == name)
                if any(not self.gone(other, a) for a in taken):
                    return True
            outer = other.parents.get(found)
            if isinstance(outer, ast.Attribute) and outer.attr == name:
                return True
        return False

    def _undefined_export(self, file: Parsed, fault: Fault) -> None:
        for node in file.parents:
            if isinstance(node, ast.Constant) and node.value == fault.name:
                if self.gone(file, node):
                    continue
                target = self._blame(file, None, fault.name)
                site = Site(file, node, target, target, "string", strong=False)
                decision = exports.unwire(site, self)
                if isinstance(decision, Unwire):
                    self._carry_out(site, decision)

    def _undefined(self, file: Parsed, node: ast.Name) -> None:
        if self.gone(file, node):
            return
        target = self._blame(file, file.function(node), node.id)
        holder = self._holder_of(file, node)
        self._unwire(Site(file, node, target, holder, "name", strong=True))

    def _unused_variable(self, file: Parsed, node: ast.Name) -> None:
        statement = file.statement(node)
        outer = file.parents[node]
        if self.gone(file, node):
            return
        if isinstance(outer, ast.withitem):
            self._unbind(file, outer.context_expr, node)
        elif outer is not statement or getattr(statement, "targets", [node]) != [node]:
            self._block(self._user(file, node.id), f"{node.id} would not be used ({file.path})")
        elif self.live(file, *lines_of(statement)) and self._acts(file, statement):
            self._unbind(file, statement, node)
        else:
            self._remove(file, removal(file, "statement", statement), self._any_target(file))

    def _unbind(self, file: Parsed, place: ast.AST, name: ast.AST) -> None:
        """Cut the name alone: what it is bound to does something that counts."""
        cut = removal(file, "unbind", place).cut
        gone = (name,) if isinstance(name, ast.Name) else ()
        self._remove(file, Removal(cut, gone), self._any_target(file))

    def _acts(self, file: Parsed, statement: ast.stmt) -> bool:
        """Tell whether computing the value of an assignment may do more than give it."""
        parts = list(ast.walk(statement))
        if any(isinstance(part, ast.Await | ast.Yield | ast.YieldFrom) for part in parts):
            return True
        return any(isinstance(p, ast.Call) and not self._makes(file, p.func) for p in parts)

    def _makes(self, file: Parsed, function: ast.expr) -> bool:
        """Tell whether a call gives a value and does nothing else."""
        if isinstance(function, ast.Name) and function.id in _MAKERS:
            return True
        meant = self.bench.meant(file, function)
        return any(self.bench.index.definitions[d].kind == "class" for d in meant)

    def _blame(self, file: Parsed, function: Function | None, name: str) -> DefinitionId:
        """Return the dead definition whose cuts took a name away."""
        found = self._bound.get((file.path, function, name))
        return found or self._bound.get((file.path, None, name)) or self._any_target(file)

    def _any_target(self, file: Parsed) -> DefinitionId:
        return next(one.target for one in self.done if one.file is file)

    def _holder_of(self, file: Parsed, node: ast.AST) -> DefinitionId:
        names = [at.name for at in file.around(node) if isinstance(at, Function | ast.ClassDef)]
        return DefinitionId(f"{file.path}::{'.'.join(reversed(names))}")

    # --- modules

    def _modules(self) -> None:
        """Remove the modules in which nothing is left."""
        for path in sorted(self._gone):
            module = DefinitionId(f"{path}::")
            file = self.bench.sources.file(path)
            if file is None or path in self.removed_files or path.endswith("__init__.py"):
                continue
            if module in self.bench.pinned or module in self.kept or not self._bare(file):
                continue
            unwired = list(self._importers(module))
            if None in unwired:
                continue
            self.removed_files.add(path)
            self._members.add(module)
            self.dead[module] = self._any_target(file)
            self._listed(module)
            for found in unwired:
                if found is not None:
                    other, what = found
                    self._remove(other, what, module)

    def _bare(self, file: Parsed) -> bool:
        if self.bench.follows(file.path) and self._mostly_gone(file):
            return True
        for node in file.tree.body:
            if self.gone(file, node) or isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if isinstance(node, ast.Expr) and node.value is docstring(file.tree):
                continue
            goal = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(goal, ast.Name) and goal.id in ("__all__", "__author__", "__doc__"):
                continue
            return False
        return True

    def _mostly_gone(self, file: Parsed) -> bool:
        every = [n for n in file.tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]
        gone = sum(file.code_lines(n) for n in every if self.gone(file, n))
        return gone * 2 > sum(file.code_lines(n) for n in every)

    def _importers(self, module: DefinitionId) -> Iterator[tuple[Parsed, Removal] | None]:
        """Yield the cuts that take a module out of its importers; None where that cannot be."""
        yield from self._as_attribute(module)
        for reference in self.bench.named[module]:
            file = self.bench.sources.file(reference.path)
            node = file.find(reference) if file is not None else None
            if file is None or node is None or self.gone(file, node) or not reference.strong:
                continue
            if isinstance(node, ast.ImportFrom):
                left = [alias for alias in node.names if not self.gone(file, alias)]
                if reference.path in self.bench.index.test_paths:
                    left = [alias for alias in left if not self._names_dead(file, alias)]
                if any(alias.name != "*" for alias in left):
                    yield None
                for alias in left:
                    if reference.path not in self.bench.index.test_paths:
                        yield file, removal(file, "alias", alias)
            elif reference.path in self.bench.index.test_paths:
                continue
            elif isinstance(node, ast.alias):
                yield file, removal(file, "alias", node)
            elif isinstance(node, ast.Constant) and isinstance(file.parents[node], ast.List):
                yield file, removal(file, "element", node)
            else:
                yield None

    def _as_attribute(self, module: DefinitionId) -> Iterator[tuple[Parsed, Removal] | None]:
        """Yield the same for a package that uses the name which importing its module bound."""
        folder, _, name = module.removesuffix("::").rpartition("/")
        file = self.bench.sources.file(f"{folder}/__init__.py")
        for node in file.parents if file is not None else ():
            if not isinstance(node, ast.Name) or node.id != name.removesuffix(".py"):
                continue
            if file is None or self.gone(file, node) or isinstance(node.ctx, ast.Store):
                continue
            yield (file, removal(file, "element", node)) if isinstance(node.ctx, ast.Del) else None

    def _names_dead(self, file: Parsed, alias: ast.alias) -> bool:
        place = (file.path, alias.lineno, alias.col_offset)
        return any(
            (r.path, r.line, r.column) == place for d in self._members for r in self.bench.named[d]
        )

    # --- classes

    def _check_classes(self) -> None:
        """Block what would leave a retained class without its parts."""
        lost: dict[DefinitionId, list[Definition]] = {}
        for dead in self.dead:
            known = self.definition(dead)
            if known is None or self.bench.follows(known.path):
                continue
            if known.kind == "method" and known.parent is not None:
                lost.setdefault(known.parent, []).append(known)
        for owner, methods in lost.items():
            every = [
                child
                for child in self.bench.relation.children(owner)
                if self.bench.index.definitions[child].kind == "method"
            ]
            gutted = len(methods) * 2 > len(every)
            for method in methods:
                over = self._silently_replaced(method)
                if method.qualname.endswith(".__init__"):
                    self._block(method.id, "a retained class would lose __init__")
                elif over is not None:
                    self._block(method.id, f"{over} would take over")
                elif gutted:
                    self._block(method.id, "a retained class would lose most of its methods")

    def _silently_replaced(self, method: Definition) -> str | None:
        """Return what takes over from a method, if its tests could pass as if it were there.

        The tests of a method that follows something else need that as well. A builtin type does
        not do what its heir was written for.
        """
        heir = self.bench.takes_over(method)
        if heir is None or heir.kind == "builtin":
            return None
        follows = self.dead[method.id] != method.id
        return heir.name if heir.kind == "needed" or not follows else None

    def _check_functions(self) -> None:
        """Block what would leave little of a retained function."""
        for _, function, causes in self._hollow():
            for one in causes:
                self._block(one.target, f"little would be left of {function.name}")

    def _hollow(self) -> Iterator[tuple[Parsed, Function, list[Done]]]:
        """Yield the retained functions that lose most of their lines, and by which removals."""
        lost: dict[Function, set[int]] = {}
        causes: dict[Function, list[Done]] = {}
        for one in self.done:
            for node in one.removal.gone:
                function = one.file.function(node)
                if function is None or not isinstance(node, ast.stmt | ast.ExceptHandler):
                    continue
                if one.file.path not in self.removed_files and not self.gone(one.file, function):
                    lost.setdefault(function, set()).update(_code(one.file, *lines_of(node)))
                    causes.setdefault(function, []).append(one)
        for function, lines in lost.items():
            file = causes[function][0].file
            whole = _code(file, lines_of(function.body[0])[0], lines_of(function)[1])
            if len(lines) > _SPARED_LINES and len(lines) * 2 > len(whole):
                yield file, function, causes[function]


_SPARED_LINES = 2
_MAKERS = frozenset(
    (
        *("bool", "dict", "enumerate", "float", "frozenset", "getattr", "int", "isinstance", "len"),
        *("list", "max", "min", "range", "reversed", "set", "sorted", "str", "tuple", "type"),
    )
)
"""Builtins that do nothing but give a value."""


def _code(file: Parsed, first: int, last: int) -> set[int]:
    return {line for line in range(first, last + 1) if file.source.code_lines(line, line)}


def _private(definition: Definition) -> bool:
    name = definition.qualname.rsplit(".", 1)[-1]
    if name.startswith("__") or definition.kind == "module":
        return False
    if definition.kind == "constant" and "." not in definition.qualname:
        return True  # a setting of what is gone, whoever could have read it
    return name.startswith("_") or not definition.public


def _told(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """Return how pyflakes calls an imported name."""
    full = alias.name
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        full = module + alias.name if module.endswith(".") else f"{module}.{alias.name}"
    if alias.asname and alias.asname != alias.name:
        return f"{full} as {alias.asname}"
    return full


def _place(site: Site) -> str:
    return f"{site.file.path}:{getattr(site.node, 'lineno', 0)}"
