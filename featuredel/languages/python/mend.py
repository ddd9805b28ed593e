"""Mend what a linter would hold against the files as they are cut so far."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from featuredel.languages.python.lint import Fault
from featuredel.languages.python.parsed import Parsed, lines_of
from featuredel.languages.python.plan import Plan
from featuredel.languages.python.rules import exports
from featuredel.languages.python.sites import Removal, Site, Unwire, holder_of, removal
from featuredel.languages.python.units import told
from featuredel.languages.python.unwiring import unwire
from featuredel.model import DefinitionId

_MAKERS = frozenset(
    (
        *("bool", "dict", "enumerate", "float", "frozenset", "getattr", "int", "isinstance", "len"),
        *("list", "max", "min", "range", "reversed", "set", "sorted", "str", "tuple", "type"),
    )
)
"""Builtins that do nothing but give a value."""


@dataclass(slots=True)
class Mending:
    """Lints the files of a plan, each again whenever more has been cut from it."""

    plan: Plan
    _linted: dict[str, int] = field(default_factory=dict)  # path -> cuts when it was last linted

    def run(self) -> None:
        """Cut or unwire what is newly unused or undefined."""
        for path in self.plan.touched:
            self._lint(path)

    def _lint(self, path: str) -> None:
        cuts = self.plan.cuts().get(path, [])
        if path in self.plan.removed_files or self._linted.get(path) == len(cuts):
            return
        self._linted[path] = len(cuts)
        file = self.plan.bench.sources.file(path)
        if file is None:
            return
        for fault in file.new_faults(cuts):
            _mend(self.plan, file, fault)


def _mend(plan: Plan, file: Parsed, fault: Fault) -> None:
    nodes = file.places.get((fault.line, fault.column), [])
    if fault.kind == "unused import":
        _unused_import(plan, file, fault, nodes)
    elif fault.kind == "undefined export":
        _undefined_export(plan, file, fault)
    elif fault.kind in ("undefined name", "undefined local"):
        for node in nodes:
            if isinstance(node, ast.Name) and node.id == fault.name:
                _undefined(plan, file, node)
    elif fault.kind == "unused variable":
        for node in nodes:
            if isinstance(node, ast.Name) and node.id == fault.name:
                _unused_variable(plan, file, node)
            elif isinstance(node, ast.ExceptHandler) and node.name == fault.name:
                _unbind(plan, file, node, node)


# --- imports


def _unused_import(plan: Plan, file: Parsed, fault: Fault, nodes: Iterable[ast.AST]) -> None:
    for node in nodes:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for alias in node.names:
            if told(node, alias) != fault.name:
                continue
            if _is_taken_from(plan, file, node, alias):
                name = (alias.asname or alias.name).split(".")[0]
                plan.block(_user(plan, file, name), f"others take {name} from {file.path}")
            else:
                plan.remove(file, removal(file, "alias", alias), plan.any_cause(file))


def _is_taken_from(plan: Plan, file: Parsed, node: ast.stmt, alias: ast.alias) -> bool:
    """Tell whether another file imports what this import brings into `file`."""
    module = DefinitionId(f"{file.path}::")
    name = alias.asname or alias.name
    for reference in plan.bench.named[module]:
        other = plan.bench.sources.file(reference.path)
        found = other.find(reference) if other is not None else None
        if other is None or found is None or found is node or plan.gone(other, found):
            continue
        if isinstance(found, ast.ImportFrom):
            taken = (a for a in found.names if a.name == name)
            if any(not plan.gone(other, a) for a in taken):
                return True
        outer = other.parents.get(found)
        if isinstance(outer, ast.Attribute) and outer.attr == name:
            return True
    return False


def _user(plan: Plan, file: Parsed, name: str) -> DefinitionId:
    """Return a dead definition that used an imported name."""
    for one in plan.done:
        for node in one.removal.gone if one.file is file else ():
            if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node)):
                return one.target
    return plan.any_cause(file)


# --- names that nothing binds any more


def _undefined_export(plan: Plan, file: Parsed, fault: Fault) -> None:
    for node in file.parents:
        if isinstance(node, ast.Constant) and node.value == fault.name:
            if plan.gone(file, node):
                continue
            target = plan.blame(file, None, fault.name)
            site = Site(file, node, target, target, "string", strong=False)
            decision = exports.unwire(site, plan)
            if isinstance(decision, Unwire):
                plan.carry_out(site, decision)


def _undefined(plan: Plan, file: Parsed, node: ast.Name) -> None:
    if plan.gone(file, node):
        return
    target = plan.blame(file, file.function(node), node.id)
    unwire(plan, Site(file, node, target, holder_of(file, node), "name", strong=True))


# --- variables that nothing reads any more


def _unused_variable(plan: Plan, file: Parsed, node: ast.Name) -> None:
    statement = file.statement(node)
    outer = file.parents[node]
    if plan.gone(file, node):
        return
    if isinstance(outer, ast.withitem):
        _unbind(plan, file, outer.context_expr, node)
    elif outer is not statement or getattr(statement, "targets", [node]) != [node]:
        plan.block(_user(plan, file, node.id), f"{node.id} would not be used ({file.path})")
    elif plan.live(file, *lines_of(statement)) and _acts(plan, file, statement):
        _unbind(plan, file, statement, node)
    else:
        plan.remove(file, removal(file, "statement", statement), plan.any_cause(file))


def _unbind(plan: Plan, file: Parsed, place: ast.AST, name: ast.AST) -> None:
    """Cut the name alone: what it is bound to does something that counts."""
    cut = removal(file, "unbind", place).cut
    gone = (name,) if isinstance(name, ast.Name) else ()
    plan.remove(file, Removal(cut, gone), plan.any_cause(file))


def _acts(plan: Plan, file: Parsed, statement: ast.stmt) -> bool:
    """Tell whether computing the value of an assignment may do more than give it."""
    parts = list(ast.walk(statement))
    if any(isinstance(part, ast.Await | ast.Yield | ast.YieldFrom) for part in parts):
        return True
    return any(isinstance(p, ast.Call) and not _makes(plan, file, p.func) for p in parts)


def _makes(plan: Plan, file: Parsed, function: ast.expr) -> bool:
    """Tell whether a call gives a value and does nothing else."""
    if isinstance(function, ast.Name) and function.id in _MAKERS:
        return True
    meant = plan.bench.meant(file, function)
    return any(plan.bench.index.definitions[d].kind == "class" for d in meant)
