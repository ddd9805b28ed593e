"""Which function of which test file a test id runs, inherited methods included."""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.parsed import Function, Parsed
from featuredel.model import DefinitionId, TestId

K = TypeVar("K")
V = TypeVar("V")

Holder = tuple[str, tuple[str, ...]]
"""A file, and the classes one in the other that pytest collects from it; none is the module."""


@dataclass(frozen=True, slots=True)
class Key:
    """A test function as a class runs it: all its parametrised cases share one key."""

    path: str
    classes: tuple[str, ...]
    function: str

    @property
    def holder(self) -> Holder:
        """The class, or the module if there is none, that pytest collects it from."""
        return (self.path, self.classes)


@dataclass(slots=True)
class Item:
    """A function that tests run, with the ids of those that can serve and of the others."""

    file: Parsed
    node: Function
    ids: dict[Key, list[TestId]] = field(default_factory=lambda: defaultdict(list))
    aside: list[TestId] = field(default_factory=list)

    @property
    def tests(self) -> list[TestId]:
        """All baseline tests that run the function."""
        return [test for ids in self.ids.values() for test in ids]


@dataclass
class Items:
    """All test functions of a tree, by node; and ids that belong to no function of a test file."""

    by_node: dict[ast.AST, Item] = field(default_factory=dict)
    keys: dict[Key, list[TestId]] = field(default_factory=lambda: defaultdict(list))
    unplaced: list[TestId] = field(default_factory=list)

    @cached_property
    def by_test(self) -> dict[TestId, Item]:
        """The function that each placed test runs."""
        return {test: item for item in self.by_node.values() for test in item.tests}

    @cached_property
    def by_path(self) -> dict[str, list[Key]]:
        """The keys that are collected from each file."""
        return _grouped((key.path, key) for key in self.keys)

    @cached_property
    def by_holder(self) -> dict[Holder, list[Key]]:
        """The keys of each class and the classes in it, outer ones first."""
        return _grouped(
            ((key.path, key.classes[:depth]), key)
            for key in self.keys
            for depth in range(1, len(key.classes) + 1)
        )

    @cached_property
    def _by_file(self) -> dict[str, list[Item]]:
        return _grouped((item.file.path, item) for item in self.by_node.values())

    def held(self, file: Parsed) -> list[Item]:
        """Return the functions that stand in a file."""
        return self._by_file.get(file.path, [])

    def of(self, tests: Collection[TestId]) -> list[Item]:
        """Return the functions that run any of `tests`, in the order of `by_node`."""
        found = {id(self.by_test[test]) for test in tests if test in self.by_test}
        return [item for item in self.by_node.values() if id(item) in found]


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    found: dict[K, list[V]] = {}
    for group, member in pairs:
        found.setdefault(group, []).append(member)
    return found


def key(test: TestId) -> Key:
    """Return the id without its case."""
    path, _, rest = test.partition("::")
    names = rest.partition("[")[0].split("::")
    return Key(path, tuple(names[:-1]), names[-1])


def case(test: TestId) -> str:
    """Return what stands between the brackets of an id, "" if there is nothing."""
    return test.partition("::")[2].partition("[")[2].removesuffix("]")


def items(bench: Bench) -> Items:
    """Return the functions behind the ids of the baseline."""
    found = Items()
    imported = _imported_classes(bench)
    tests = bench.relation.baseline.tests
    aside = tuple(aside.id for aside in bench.relation.baseline.set_aside)
    own = frozenset(key(test) for test in (*tests, *aside))
    for is_aside, some in ((False, tests), (True, aside)):
        for test in some:
            its_key = key(test)
            if not is_aside:
                found.keys[its_key].append(test)
            place = _function(bench, its_key, imported) or _expanded(bench, its_key, own)
            if place is None:
                if not is_aside:
                    found.unplaced.append(test)
                continue
            file, node = place
            item = found.by_node.setdefault(node, Item(file, node))
            if is_aside:
                item.aside.append(test)
            else:
                item.ids[its_key].append(test)
    return found


def _imported_classes(bench: Bench) -> dict[tuple[str, str], DefinitionId]:
    """Return the classes that test files import, by file and name: pytest collects them there."""
    found: dict[tuple[str, str], DefinitionId] = {}
    for reference in bench.index.references:
        target = bench.index.definitions.get(reference.target)
        if reference.kind == "import" and target is not None and target.kind == "class":
            found[reference.path, target.qualname] = target.id
    return found


def _function(
    bench: Bench, its_key: Key, imported: Mapping[tuple[str, str], DefinitionId]
) -> tuple[Parsed, Function] | None:
    """Return where the function of a key is defined: its class, or the nearest base with it."""
    own = DefinitionId(f"{its_key.path}::{'.'.join(its_key.classes)}")
    if its_key.classes and own not in bench.index.definitions:
        outer = imported.get((its_key.path, its_key.classes[0]))
        if outer is not None:
            own = DefinitionId(".".join([outer, *its_key.classes[1:]]))
    holders = [own, *bench.ancestors(own)] if its_key.classes else [own]
    for holder in holders:
        path, _, qualname = holder.partition("::")
        if path not in bench.index.test_paths and path != its_key.path:
            continue
        name = f"{qualname}.{its_key.function}" if qualname else its_key.function
        definition = bench.index.definitions.get(DefinitionId(f"{path}::{name}"))
        file = bench.sources.file(path)
        if definition is None or file is None:
            continue
        for node in file.statements_of(definition):
            if isinstance(node, Function):
                return file, node
    return None


def _expanded(bench: Bench, its_key: Key, own: Collection[Key]) -> tuple[Parsed, Function] | None:
    """Return the function that a decorator makes a test of this name from.

    `@parameterized.expand` and `@data` put a case behind the name, which itself runs no test.
    """
    holder = DefinitionId(f"{its_key.path}::{'.'.join(its_key.classes)}")
    file = bench.sources.file(its_key.path)
    definition = bench.index.definitions.get(holder) if its_key.classes else None
    if file is None or (its_key.classes and definition is None):
        return None
    blocks = [file.tree.body] if definition is None else [
        node.body for node in file.statements_of(definition) if isinstance(node, ast.ClassDef)
    ]  # fmt: skip
    likely = [
        node
        for block in blocks
        for node in block
        if isinstance(node, Function)
        and node.decorator_list
        and node.name.startswith("test")
        and its_key.function.startswith(node.name)
        and Key(its_key.path, its_key.classes, node.name) not in own
    ]
    return (file, max(likely, key=lambda node: len(node.name))) if likely else None
