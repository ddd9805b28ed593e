"""The unwiring rules, in the order in which they are asked: the first with an answer counts."""

from collections.abc import Callable

from featuredel.languages.python.rules import (
    aliases,
    annotations,
    arms,
    asides,
    bases,
    checks,
    decorators,
    dependants,
    elements,
    exports,
    handlers,
    imports,
    registrations,
    statements,
    stubs,
)
from featuredel.languages.python.sites import Decision, Site, View

Rule = Callable[[Site, View], Decision]

MODULES = (
    imports,
    exports,
    stubs,
    asides,
    decorators,
    annotations,
    bases,
    handlers,
    dependants,
    arms,
    checks,
    statements,
    elements,
    registrations,
    aliases,
)
RULES: tuple[Rule, ...] = tuple(module.unwire for module in MODULES)
