"""The relation tests x definitions: who enters what, and what belongs to a set of tests.

Knows no language: only the records of `model`. Sets of tests are bit sets over `baseline.tests`.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import combinations

from featuredel.model import Baseline, Definition, DefinitionId, Index, Reference, TestId

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# fmt: off
_VERBS = frozenset((
    "a", "async", "build", "check", "create", "decode", "deserialize", "do", "dump", "encode",
    "evaluate", "expand", "find", "format", "from", "generate", "get", "handle", "has", "is",
    "iter", "load", "make", "normalize", "on", "parse", "process", "read", "register", "render",
    "resolve", "run", "serialize", "set", "test", "to", "try", "validate", "visit", "with",
    "write",
))
# fmt: on
_SHORTEST_STEM = 5
_MOST_OF_A_STEM = 12
"""What more definitions than this are about is the topic of the project, not of a feature."""


class Relation:
    """What the tests of a baseline enter, asked definition by definition."""

    def __init__(self, index: Index, baseline: Baseline) -> None:
        self.index = index
        self.baseline = baseline
        self.all_tests = (1 << len(baseline.tests)) - 1
        self._children: dict[DefinitionId, list[DefinitionId]] = defaultdict(list)
        for definition in index.definitions.values():
            if definition.parent is not None:
                self._children[definition.parent].append(definition.id)
        self._named: dict[DefinitionId, list[Reference]] = defaultdict(list)
        for reference in index.references:
            self._named[reference.target].append(reference)
        self._tests: dict[DefinitionId, int] = {}
        self._uses: dict[DefinitionId, set[DefinitionId]] = defaultdict(set)
        self._graph: dict[DefinitionId, dict[DefinitionId, str]] | None = None

    # --- tests -------------------------------------------------------------------------------

    def line_tests(self, path: str, line: int) -> int:
        """Return the tests that executed a line."""
        return self.baseline.lines.reached.get(path, {}).get(line, 0)

    def tests(self, d: DefinitionId) -> int:
        """Return the tests that enter a definition.

        A function: a line of its body runs. A class: one of its members or heirs is entered, or a
        line that names it runs; to ask whether something is one of it does not count. A constant:
        a line that names it runs. A module: anything in it.
        """
        if d not in self._tests:
            self._tests[d] = 0  # ends a cycle of classes
            self._tests[d] = self._compute(self.index.definitions[d])
        return self._tests[d]

    def _compute(self, definition: Definition) -> int:
        if definition.kind in ("function", "method"):
            return self._ran(definition)
        if definition.kind == "constant":
            return self._naming(definition.id)
        found = 0
        for child in self._children[definition.id]:
            found |= self.tests(child)
        if definition.kind == "class":
            found |= self._naming(definition.id)
            for reference in self._named[definition.id]:
                if reference.kind == "base" and reference.holder != definition.id:
                    found |= self.tests(reference.holder)
        return found

    def _ran(self, definition: Definition) -> int:
        """Return the tests that run a line of the definition's bodies."""
        reached = self.baseline.lines.reached.get(definition.path)
        found = 0
        for first, last in definition.bodies if reached else ():
            for line in range(first, last + 1):
                found |= reached.get(line, 0) if reached else 0
        return found

    def _naming(self, d: DefinitionId) -> int:
        """Return the tests that run a line which names `d`, from outside of it."""
        found = 0
        for reference in self._named[d]:
            if reference.check or reference.kind in ("import", "annotation", "base"):
                continue
            if not self.encloses(d, reference.holder):
                found |= self.line_tests(reference.path, reference.line)
        return found

    def tests_of(self, ds: Iterable[DefinitionId]) -> int:
        """Return the tests that enter any of `ds`."""
        found = 0
        for d in ds:
            found |= self.tests(d)
        return found

    def names(self, bits: int) -> tuple[TestId, ...]:
        """Return the ids in a set of tests, sorted."""
        text = bin(bits)[:1:-1]  # the lowest bit first
        return tuple(
            test for test, bit in zip(self.baseline.tests, text, strict=False) if bit == "1"
        )

    def at_import(self, d: DefinitionId) -> bool:
        """Return whether the definition, or a member of it, runs while modules are imported."""
        definition = self.index.definitions[d]
        if definition.kind in ("function", "method"):
            ran = self.baseline.lines.imported.get(definition.path, frozenset())
            return any(
                line in ran for first, last in definition.bodies for line in range(first, last + 1)
            )
        return any(self.at_import(child) for child in self._children[d])

    # --- membership --------------------------------------------------------------------------

    def encloses(self, outer: DefinitionId, inner: DefinitionId) -> bool:
        """Return whether `inner` is `outer` or lies in it."""
        at: DefinitionId | None = inner
        while at is not None:
            if at == outer:
                return True
            at = self.index.definitions[at].parent
        return False

    def children(self, d: DefinitionId) -> tuple[DefinitionId, ...]:
        """Return what is defined directly in `d`, in the order of the text."""
        return tuple(self._children[d])

    def members(self, d: DefinitionId) -> Iterator[DefinitionId]:
        """Yield `d` and everything defined in it, however deep."""
        yield d
        for child in self._children[d]:
            yield from self.members(child)

    def naming(self, d: DefinitionId) -> tuple[Reference, ...]:
        """Return the references to `d`."""
        return tuple(self._named[d])

    # --- closure -----------------------------------------------------------------------------

    def closure(self, t: int) -> frozenset[DefinitionId]:
        """Return E(t): the source definitions that some test of `t` enters, and no other test."""
        outside = ~t
        return frozenset(d for d in self.entered if not self.tests(d) & outside)

    @cached_property
    def entered(self) -> tuple[DefinitionId, ...]:
        """Return the definitions outside of tests and modules that any test enters, sorted."""
        return tuple(
            d.id
            for d in self.index.definitions.values()
            if d.kind != "module" and d.path not in self.index.test_paths and self.tests(d.id)
        )

    # --- connection --------------------------------------------------------------------------

    def neighbours(self, d: DefinitionId) -> Mapping[DefinitionId, str]:
        """Return what `d` hangs together with, and how: "reference", "member" or "stem"."""
        if self._graph is None:
            self._graph = self._connect()
        return self._graph.get(d, {})

    def reach(
        self, entry: DefinitionId, within: Collection[DefinitionId]
    ) -> frozenset[DefinitionId]:
        """Return the part of `within` that `entry` comes to by what it names, holds or shares."""
        self.neighbours(entry)
        found, stack = {entry}, [entry]
        while stack:
            at = stack.pop()
            for other in (*self._uses[at], *self._children[at]):
                if other in within and other not in found:
                    found.add(other)
                    stack.append(other)
        return frozenset(found)

    def component(
        self, seed: DefinitionId, within: Collection[DefinitionId]
    ) -> frozenset[DefinitionId]:
        """Return the part of `within` that hangs together with `seed`."""
        inside = frozenset(within)
        found, stack = {seed}, [seed]
        while stack:
            for other in self.neighbours(stack.pop()):
                if other in inside and other not in found:
                    found.add(other)
                    stack.append(other)
        return frozenset(found)

    def _connect(self) -> dict[DefinitionId, dict[DefinitionId, str]]:
        graph: dict[DefinitionId, dict[DefinitionId, str]] = defaultdict(dict)
        source = {
            d.id: d
            for d in self.index.definitions.values()
            if d.kind != "module" and d.path not in self.index.test_paths
        }

        def join(one: DefinitionId, other: DefinitionId, how: str) -> None:
            if one != other and one in source and other in source:
                graph[one].setdefault(other, how)
                graph[other].setdefault(one, how)

        for reference in self.index.references:
            if reference.strong or self._borne_out(reference):
                join(reference.holder, reference.target, "reference")
                self._uses[reference.holder].add(reference.target)
        for d in source.values():
            if d.parent is not None:
                join(d.id, d.parent, "member")
        for group in _stems(source.values()).values():
            for one, other in combinations(group, 2):
                if _last(one) != _last(other):  # the same name in two classes is no relation
                    join(one, other, "stem")
                    self._uses[one].add(other)
                    self._uses[other].add(one)
        return graph

    def _borne_out(self, reference: Reference) -> bool:
        """Return whether what runs agrees with a weak reference: no test runs it without."""
        ran = self.line_tests(reference.path, reference.line)
        return bool(ran) and (reference.kind == "string" or not ran & ~self.tests(reference.target))


def _stems(definitions: Iterable[Definition]) -> dict[str, list[DefinitionId]]:
    """Return the functions, methods and classes that share what their names are about."""
    groups: dict[str, list[DefinitionId]] = defaultdict(list)
    for definition in definitions:
        name = definition.qualname.rsplit(".", 1)[-1]
        about = stem(name)
        if definition.kind != "constant" and not name.startswith("__") and about:
            groups[about].append(definition.id)
    return {about: group for about, group in groups.items() if len(group) <= _MOST_OF_A_STEM}


def _last(d: DefinitionId) -> str:
    return d.rpartition("::")[2].rpartition(".")[2]


def stem(name: str) -> str:
    """Return what a name is about: `parse_macro`, `visit_Macro` and `Macro` are about "macro"."""
    parts = [word.lower() for word in _WORD.findall(name)]
    while len(parts) > 1 and parts[0] in _VERBS:
        parts = parts[1:]
    found = "".join(parts)
    return found if len(found) >= _SHORTEST_STEM and found not in _VERBS else ""


def words(name: str) -> tuple[str, ...]:
    """Return the telling words of a name, in the singular: `set_partitions` has "partition"."""
    parts = (word.lower() for word in _WORD.findall(name))
    singular = (p[:-1] if p.endswith("s") and not p.endswith("ss") else p for p in parts)
    return tuple(sorted({p for p in singular if len(p) >= _SHORTEST_STEM and p not in _VERBS}))


def spoken_name(entry: Definition) -> str:
    """Return the entry point as a person would say it: `jinja2.ext.Extension`."""
    path = re.sub(r"\.pyi?$", "", entry.path).removesuffix("/__init__")
    path = re.sub(r"^(src|lib)/", "", path)
    dotted = path.replace("/", ".")
    return f"{dotted}.{entry.qualname}" if entry.qualname else dotted
