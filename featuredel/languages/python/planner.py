"""Decide what to cut so that nothing names what is dead: a fixed point over the original files.

A plan that meets a place that cannot be unwired says which definition must stay; `retreat.py`
then steps back from it and plans again.
"""

import ast
from collections.abc import Collection, Iterable

from featuredel.languages.python import whole_modules
from featuredel.languages.python.bench import Bench
from featuredel.languages.python.gutted import (
    block_gutted_classes,
    block_gutted_functions,
    gutted_functions,
)
from featuredel.languages.python.mend import Mending
from featuredel.languages.python.plan import Plan
from featuredel.languages.python.rules import statements
from featuredel.languages.python.sites import Site, Unwire, holder_of
from featuredel.languages.python.unwiring import unwire_waiting
from featuredel.model import Definition, DefinitionId

_ROUNDS = 40


def make_plan(
    bench: Bench,
    tests: int,
    kept: Collection[DefinitionId],
    definitions: Iterable[DefinitionId],
    modules: Iterable[DefinitionId] = (),
) -> Plan:
    """Return the plan that kills `definitions` and unwires until nothing names anything dead.

    Of `modules` nothing is to be left; all that they define is among the definitions. `tests` is
    T; what is `kept` stays. Where something cannot be unwired, the plan stops and is `blocked`.
    """
    plan = Plan(bench, tests, kept)
    for definition in sorted(definitions):
        plan.kill(definition, definition)
    for module in sorted(modules):
        whole_modules.empty(plan, module)
    mending = Mending(plan)
    for _ in range(_ROUNDS):
        unwire_waiting(plan)
        if plan.blocked or not _settle(plan, mending):
            break
    if not plan.blocked:
        block_gutted_classes(plan)
        block_gutted_functions(plan)
    return plan


def _settle(plan: Plan, mending: Mending) -> bool:
    """Cut what has become empty, unused or undefined; tell whether there was anything."""
    before = plan.progress
    while _empty_arms(plan):
        pass
    _unused_helpers(plan)
    if plan.progress == before:
        mending.run()
    if plan.progress == before:
        whole_modules.remove_bare(plan)
    if plan.progress == before:
        _shells(plan)
    return plan.progress != before


def _empty_arms(plan: Plan) -> bool:
    before = len(plan.done)
    for one in list(plan.done):
        for node in one.removal.gone:
            outer = one.file.parents.get(node)
            if outer is None or plan.gone(one.file, outer) or not isinstance(node, ast.stmt):
                continue
            site = Site(one.file, node, one.target, one.target, "name", strong=False)
            decision = statements.empty_arms(site, plan)
            if isinstance(decision, Unwire):
                plan.carry_out(site, decision)
    return len(plan.done) > before


def _unused_helpers(plan: Plan) -> None:
    """Kill private definitions that only dead code used."""
    for dead in sorted(plan.members):
        for reference in plan.bench.held_by[dead]:
            target = plan.definition(reference.target)
            if target is None or target.id in plan.members or not _is_private(target):
                continue
            if plan.may_die(target.id) and not _is_used(plan, target.id):
                plan.kill(target.id, plan.dead_around(dead))


def _is_private(definition: Definition) -> bool:
    name = definition.qualname.rsplit(".", 1)[-1]
    if name.startswith("__") or definition.kind == "module":
        return False
    if definition.kind == "constant" and "." not in definition.qualname:
        return True  # a setting of what is gone, whoever could have read it
    return name.startswith("_") or not definition.public


def _is_used(plan: Plan, definition: DefinitionId) -> bool:
    inside = set(plan.bench.relation.members(definition))
    for reference in (*plan.bench.named[definition], *plan.bench.perhaps[definition]):
        if reference.holder in inside or reference.kind == "import":
            continue
        file = plan.bench.sources.file(reference.path)
        node = file.find(reference) if file is not None else None
        if file is not None and node is not None and not plan.gone(file, node):
            return True
    return False


def _shells(plan: Plan) -> None:
    """Kill the functions of which little is left and that no test outside T enters."""
    for file, function, causes in gutted_functions(plan):
        definition = holder_of(file, function)
        if plan.may_die(definition):
            plan.kill(definition, plan.dead_around(causes[0].target))
