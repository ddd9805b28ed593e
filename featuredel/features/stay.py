"""What must stay though only the feature's tests enter it, and why."""

from collections import defaultdict
from collections.abc import Collection, Iterator

from featuredel.model import Definition, DefinitionId, Reference, TestId
from featuredel.relation import Relation

# The language has an answer of its own when a class lacks these: nothing fails, it only differs.
_INHERITED_BY_ALL = frozenset(
    f"__{name}__"
    for name in (
        *("init", "new", "init_subclass", "class_getitem", "setattr", "getattribute", "delattr"),
        *("eq", "ne", "hash", "repr", "str", "bool", "format", "dir", "reduce", "reduce_ex"),
        *("getstate", "sizeof", "subclasshook", "del", "contains", "slots", "all", "version"),
    )
)

_MOST_HOLLOW = 0.6


class Stay:
    """Decides which members of a chosen set must stay, for reasons that no rewriting cures."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self._definitions = relation.index.definitions
        self._tests = frozenset(_definition(test) for test in relation.baseline.tests) | frozenset(
            _definition(aside.id) for aside in relation.baseline.set_aside
        )
        self._bases: dict[DefinitionId, list[DefinitionId]] = defaultdict(list)
        for reference in relation.index.references:
            if reference.kind == "base" and reference.holder != reference.target:
                self._bases[reference.holder].append(reference.target)
        self._outside: dict[DefinitionId, tuple[Reference, ...]] = {}

    def reasons(self, chosen: frozenset[DefinitionId], tests: int) -> dict[DefinitionId, str]:
        """Return what of `chosen` must stay when `tests` go with it, each with a short reason."""
        found = dict(self._gutted(chosen))
        for d in sorted(chosen - found.keys()):
            reason = self._reason(d, chosen, tests)
            if reason:
                found[d] = reason
        return found

    def _reason(self, d: DefinitionId, chosen: frozenset[DefinitionId], tests: int) -> str:
        if d in self.relation.index.pinned:
            return "build configuration names it"
        if self._read_by_tools(d, chosen):
            return "the language or a tool reads it"
        reason = self._override(d, chosen)
        if reason:
            return reason
        for reference in self._references(d):
            reason = self._held(reference, chosen, tests)
            if reason:
                return reason
        if self.relation.at_import(d) and (
            self._implied(d, chosen) or self._used_at_import(d, chosen)
        ):
            return "runs while modules are imported"
        return ""

    def _read_by_tools(self, d: DefinitionId, chosen: frozenset[DefinitionId]) -> bool:
        """Return whether it is a `__version__`, or a `__slots__` of a class that stays."""
        definition = self._definitions[d]
        special = definition.kind == "constant" and _name(definition).startswith("__")
        return special and definition.parent not in chosen

    # --- classes -----------------------------------------------------------------------------

    def _gutted(self, chosen: frozenset[DefinitionId]) -> Iterator[tuple[DefinitionId, str]]:
        """Yield the methods of classes that would stay as a shell."""
        lost: dict[DefinitionId, list[DefinitionId]] = defaultdict(list)
        for d in chosen:
            parent = self._definitions[d].parent
            if self._definitions[d].kind == "method" and parent not in chosen:
                assert parent is not None
                lost[parent].append(d)
        for parent, methods in sorted(lost.items()):
            children = self.relation.children(parent)
            all_methods = sum(1 for c in children if self._definitions[c].kind == "method")
            if 2 * len(methods) > all_methods:
                yield from ((m, "most of a class that stays") for m in sorted(methods))

    def _override(self, d: DefinitionId, chosen: frozenset[DefinitionId]) -> str:
        """Return why a method of a class that stays cannot go: something else takes its place."""
        parent = self._definitions[d].parent
        if self._definitions[d].kind != "method" or parent is None or self._within(parent, chosen):
            return ""
        name = _name(self._definitions[d])
        if name in _INHERITED_BY_ALL:
            return "every class inherits one"
        for base in self._ancestors(parent):
            inherited = DefinitionId(f"{base}.{name}")
            known = self._definitions.get(inherited)
            if known is not None and known.abstract:
                return "overrides an abstract method"
            if known is not None and not self._within(inherited, chosen):
                return "a base class takes over"
        return ""

    def _ancestors(self, class_id: DefinitionId) -> tuple[DefinitionId, ...]:
        found: dict[DefinitionId, None] = {}
        stack = list(self._bases[class_id])
        while stack:
            base = stack.pop(0)
            if base not in found:
                found[base] = None
                stack.extend(self._bases[base])
        return tuple(found)

    # --- references --------------------------------------------------------------------------

    def _references(self, d: DefinitionId) -> tuple[Reference, ...]:
        """Return the strong references to `d` from outside of it that could hold it back."""
        if d not in self._outside:
            self._outside[d] = tuple(
                r
                for r in self.relation.naming(d)
                if r.strong
                and r.kind not in ("import", "annotation")
                and not self.relation.encloses(d, r.holder)
            )
        return self._outside[d]

    def _held(self, reference: Reference, chosen: frozenset[DefinitionId], tests: int) -> str:
        if self._within(reference.holder, chosen):
            return ""
        if reference.path in self.relation.index.test_paths:
            held = self._support(reference.holder, tests)
            return "test support uses it" if held else ""
        if reference.kind in ("decorator", "base"):
            return "" if self._goes_along(reference.holder) else f"a {reference.kind} of what stays"
        if reference.check or reference.kind == "string":
            return ""
        if self.relation.line_tests(reference.path, reference.line) & ~tests:
            return "a line that others run names it"
        holder = self._definitions[reference.holder]
        if holder.kind in ("function", "method"):
            if self._at_import(reference):
                return "a line that runs at import names it"
            return "little would be left of what names it" if self._hollow(holder, tests) else ""
        made = holder.kind == "constant" and holder.code_lines == 1
        if made and self.relation.tests(holder.id) & ~tests:
            return "a name made of it is used by others"
        return ""

    def _hollow(self, holder: Definition, tests: int) -> bool:
        """Return whether of what runs in a function that stays most runs for `tests` alone."""
        lines = (n for first, last in holder.bodies for n in range(first, last + 1))
        ran = [bits for n in lines if (bits := self.relation.line_tests(holder.path, n))]
        alone = sum(1 for bits in ran if not bits & ~tests)
        return alone > _MOST_HOLLOW * len(ran)

    def _at_import(self, reference: Reference) -> bool:
        ran = self.relation.baseline.lines.imported
        return reference.line in ran.get(reference.path, frozenset())

    def _support(self, holder: DefinitionId, tests: int) -> bool:
        """Return whether a place in test code stays when `tests` go."""
        kind = self._definitions[holder].kind
        if kind in ("function", "method") and not self.relation.tests(holder):
            return self.relation.at_import(holder)  # else nobody calls it
        at: DefinitionId | None = holder
        used = 0
        while at is not None:
            if at in self._tests:
                return False
            used = self.relation.tests(at)
            if used and not used & ~tests:
                return False
            at = self._definitions[at].parent
        return bool(used)

    def _goes_along(self, holder: DefinitionId) -> bool:
        """Return whether nothing tests what is decorated or derived: it goes with the feature."""
        return not self.relation.tests(holder)

    def _implied(self, d: DefinitionId, chosen: frozenset[DefinitionId]) -> bool:
        """Return whether the language calls it without naming it: `x.y` calls `__getattr__`."""
        definition = self._definitions[d]
        special = definition.kind == "method" and _name(definition).startswith("__")
        return special and not self._within(definition.parent, chosen)

    def _used_at_import(self, d: DefinitionId, chosen: frozenset[DefinitionId]) -> bool:
        return any(
            self._at_import(r) for r in self._references(d) if not self._within(r.holder, chosen)
        )

    def _within(self, d: DefinitionId | None, chosen: Collection[DefinitionId]) -> bool:
        at = d
        while at is not None:
            if at in chosen:
                return True
            at = self._definitions[at].parent
        return False


def _name(definition: Definition) -> str:
    return definition.qualname.rsplit(".", 1)[-1]


def _definition(test: TestId) -> DefinitionId:
    """Return the definition of a test: its id without parameters."""
    path, _, names = test.split("[", 1)[0].partition("::")
    return DefinitionId(f"{path}::{names.replace('::', '.')}")
