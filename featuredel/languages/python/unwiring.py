"""Follow the references to what is dead, and ask the rules what to do at each."""

import ast

from featuredel.languages.python import asked
from featuredel.languages.python.aside import is_configuration
from featuredel.languages.python.parsed import Parsed
from featuredel.languages.python.plan import Plan
from featuredel.languages.python.rules import RULES
from featuredel.languages.python.sites import Decision, Site, Unwire, removal
from featuredel.model import DefinitionId, Reference


def unwire_waiting(plan: Plan) -> None:
    """Unwire what has died and what dies along with it, until nothing waits.

    Weak references come last: by then what holds them may be gone.
    """
    while plan.waiting:
        weak: list[Reference] = []
        while plan.waiting:
            target = plan.waiting.popleft()
            for reference in plan.bench.named[target]:
                if reference.strong:
                    _follow(plan, reference)
                else:
                    weak.append(reference)
            for reference in plan.bench.perhaps[target]:
                _block_if_asked_for(plan, reference)
            unlist(plan, target)
            _block_if_read(plan, target)
        for reference in weak:
            _block_if_asked_for(plan, reference)
            _follow(plan, reference)


def unwire(plan: Plan, site: Site) -> None:
    """Cut what names something dead at a site; where that cannot be, block what must stay."""
    place = f"{site.file.path}:{getattr(site.node, 'lineno', 0)}"
    if is_configuration(site.file.path):
        plan.block(site.target, f"build configuration names it ({place})")
        return
    decision = _decide(plan, site)
    if isinstance(decision, Unwire):
        plan.carry_out(site, decision)
    elif site.strong:
        reason = decision.reason if decision is not None else "a line that other tests run"
        plan.block(site.target, f"{reason} ({place})")


def unlist(plan: Plan, target: DefinitionId) -> None:
    """Cut the name out of lists of names in its own module, a module's in its package."""
    path, _, name = target.partition("::")
    if not name:
        folder, _, name = path.removesuffix(".py").rpartition("/")
        path = f"{folder}/__init__.py"
    file = plan.bench.sources.file(path)
    for node in file.listed.get(name, ()) if file is not None else ():
        if file is not None and not plan.gone(file, node):
            plan.remove(file, removal(file, "element", node), target)


def _follow(plan: Plan, reference: Reference) -> None:
    if reference.path in plan.bench.index.test_paths:
        return
    file = plan.bench.sources.file(reference.path)
    node = file.find(reference) if file is not None else None
    if file is None or node is None or node is file.tree or plan.gone(file, node):
        return
    if isinstance(node, ast.Import | ast.ImportFrom):
        return  # names a module on the way to what it imports
    if not reference.strong and isinstance(node, ast.Constant):
        for site in asked.keys(plan, plan.bench, reference, str(node.value)):
            unwire(plan, site)
    if not reference.strong and not _is_meant(plan, file, node, reference):
        return
    target, holder = reference.target, reference.holder
    unwire(plan, Site(file, node, target, holder, reference.kind, reference.strong))


def _is_meant(plan: Plan, file: Parsed, node: ast.AST, reference: Reference) -> bool:
    """Tell whether a weak reference is likely meant: no test that stays runs its line."""
    if isinstance(node, ast.Constant) and node.value != asked.last_name(reference):
        return False  # the start of a name that is put together
    return not plan.live(file, reference.line, reference.line)


def _block_if_asked_for(plan: Plan, reference: Reference) -> None:
    if reference.target not in plan.dead:
        return  # a member of a class that goes as a whole
    place = asked.by_name(plan, plan.bench, reference)
    if place is not None:
        plan.block(reference.target, f"asked for by name ({place})")


def _block_if_read(plan: Plan, target: DefinitionId) -> None:
    """Block an attribute of a retained class that other code which runs reads by name."""
    known = plan.definition(target)
    if known is None or known.parent in plan.members or target not in plan.dead:
        return
    place = asked.as_attribute(plan, plan.bench, known)
    if place is not None:
        plan.block(target, f"read by code that stays ({place})")


def _decide(plan: Plan, site: Site) -> Decision:
    """Return what the first rule with an answer says; the holder may die where none says to cut."""
    refused: Decision = None
    for rule in RULES:
        decision = rule(site, plan)
        if isinstance(decision, Unwire):
            return decision
        if decision is not None:
            refused = decision
            break
    holder = _holder(plan, site)
    if site.strong and holder is not None and plan.may_die(holder):
        return Unwire(dead=(holder,))
    return refused


def _holder(plan: Plan, site: Site) -> DefinitionId | None:
    """Return the outermost function, method or constant around the site below a class."""
    at = plan.definition(site.holder)
    while at is not None and at.parent is not None:
        above = plan.definition(at.parent)
        if above is None or above.kind not in ("function", "method"):
            return at.id if at.kind != "class" else None
        at = above
    return None
