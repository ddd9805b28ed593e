"""Remove a feature's tests from the visible tree, and what only they used.

What goes is decided on the original trees of the files and cut in one pass, so that what stays
is the same byte for byte.
"""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from featuredel.languages.python import cut, parametrize
from featuredel.languages.python.bench import Bench
from featuredel.languages.python.collected import Item, Key, case, items
from featuredel.languages.python.datafiles import unused_data
from featuredel.languages.python.hidden import hidden_files
from featuredel.languages.python.parsed import Function, Parsed
from featuredel.languages.python.sweep import Sweep
from featuredel.languages.python.units import element_of, imports_of, inside, unit_of
from featuredel.languages.python.unmake import hide_made
from featuredel.languages.python.visible import Visible
from featuredel.model import DefinitionId, HiddenFile, TestId

_ROUNDS = 40
_MORE_HIDDEN = 0.25
_MORE_HIDDEN_FREE = 6
"""How many tests outside T may be hidden because they name what is deleted."""


@dataclass(frozen=True, slots=True)
class TestSide:
    """What becomes of the tests of a deletion."""

    __test__ = False

    edits: Mapping[str, bytes | None]  # visible tree against the snapshot
    hidden_files: tuple[HiddenFile, ...]  # originals of what was edited, with placeholders
    hidden_tests: tuple[TestId, ...]  # baseline tests that the visible tree no longer holds
    blocked: Mapping[DefinitionId, str]  # dead definitions that must stay after all, and why
    ungradable: tuple[TestId, ...]  # doctests of what is deleted: they exist only with its text


def remove_tests(
    bench: Bench, tests: Collection[TestId], dead: Collection[DefinitionId]
) -> TestSide:
    """Return the test side of the deletion of `dead`, whose tests (T) are `tests`.

    `dead` holds every member of what is deleted, and modules that go as files (`path::`). With
    `blocked` not empty nothing else is filled in. Raises nothing.
    """
    visible = Visible(bench, bench.once(items), set(tests))
    return _Remover(visible, frozenset(dead), _allowance(len(visible.hidden))).removed()


def _allowance(tests: int) -> int:
    """Return how many more tests may be hidden if T holds `tests`."""
    return max(_MORE_HIDDEN_FREE, int(tests * _MORE_HIDDEN))


@dataclass(slots=True)
class _Remover:
    visible: Visible
    dead: frozenset[DefinitionId]
    allowance: int
    blocked: dict[DefinitionId, str] = field(default_factory=dict)
    _data: dict[str, bytes] = field(default_factory=dict)  # files of cases, without those of T
    _doomed: dict[ast.AST, tuple[Parsed, DefinitionId]] = field(default_factory=dict)

    def removed(self) -> TestSide:
        self._data = hide_made(self.visible)
        self._remove_hidden()
        self.allowance += len(self.visible.hidden)  # cases that cannot be told apart are no more
        sweep = Sweep(self.visible, self._undefined)
        references = list(self._dead_references())
        for _ in range(_ROUNDS):
            before = self.visible.progress, len(self._doomed)
            for file, node, target in references:
                if not self.visible.is_gone(file, node):
                    self._unwire(file, node, target)
            self._sweep(sweep)
            if (self.visible.progress, len(self._doomed)) == before:
                break
        sweep.files()
        self._settle_doomed(sweep)
        if self.blocked:
            return TestSide({}, (), (), self.blocked, ())
        return self._result()

    def _sweep(self, sweep: Sweep) -> None:
        for _ in range(_ROUNDS):
            before = self.visible.progress
            sweep.run()
            for unit in list(self._doomed):
                self._end(unit)
            if self.visible.progress == before:
                return

    def _undefined(self, file: Parsed, node: ast.Name) -> None:
        self._unwire(file, node, min(self.dead, default=DefinitionId(f"{file.path}::")))

    def _remove_hidden(self) -> None:
        for node, held in sorted(self._classes(), key=lambda pair: pair[1][0].path):
            file, keys = held[0], held[1]
            ids = [test for key in keys for test in self.visible.items.keys[key]]
            inner = [i for i in self.visible.items.held(file) if inside(file, i.node, node)]
            if (
                all(test in self.visible.hidden for test in ids)
                and all(test in self.visible.hidden for item in inner for test in item.tests)
                and not self.visible.used(file, node)
            ):
                self.visible.cut(file, "statement", node)
        for item in self.visible.items.of(self.visible.hidden):
            if self.visible.is_gone(item.file, item.node):
                continue
            left = {key: ids for key, ids in item.ids.items() if not self._holder_gone(key)}
            ids = [test for some in left.values() for test in some]
            gone = [test for test in ids if test in self.visible.hidden]
            if not gone:
                continue
            if len(gone) == len(ids) or not self._cut_cases(item, left):
                self.visible.hide(item)

    def _classes(self) -> Iterator[tuple[ast.ClassDef, tuple[Parsed, list[Key]]]]:
        """Yield the test classes all of whose tests are hidden, with what they run."""
        for (path, classes), keys in self.visible.items.by_holder.items():
            if not all(
                t in self.visible.hidden for key in keys for t in self.visible.items.keys[key]
            ):
                continue
            definition = self.visible.bench.index.definitions.get(
                DefinitionId(f"{path}::{'.'.join(classes)}")
            )
            file = self.visible.bench.sources.file(path)
            if definition is None or file is None:
                continue
            for node in file.statements_of(definition):
                if isinstance(node, ast.ClassDef):
                    yield node, (file, keys)

    def _holder_gone(self, key: Key) -> bool:
        if not key.classes:
            return False
        own = self.visible.bench.index.definitions.get(
            DefinitionId(f"{key.path}::{'.'.join(key.classes)}")
        )
        file = self.visible.bench.sources.file(key.path)
        if own is None or file is None:
            return False
        return all(self.visible.is_gone(file, node) for node in file.statements_of(own))

    def _cut_cases(self, item: Item, left: Mapping[Key, list[TestId]]) -> bool:
        """Cut single cases of a parametrised test; tell whether that was possible.

        Classes that inherit the test, and modules that import its class, run the same cases.
        """
        every = [[case(test) for test in ids] for ids in left.values()]
        if any(set(cases) != set(every[0]) for cases in every):
            return False
        tests = [test for ids in left.values() for test in ids]
        gone = {case(test) for test in tests if test in self.visible.hidden}
        if gone == set(every[0]):
            return False
        aside = [test for test in item.aside if test not in tests]
        cases = list(dict.fromkeys([*every[0], *(case(test) for test in aside)]))
        elements = parametrize.removable(item.node, cases, gone)
        if elements is None:
            return False
        for element in elements:
            self.visible.cut(item.file, "element", element)
        self.visible.hidden.update(test for test in tests if case(test) in gone)
        return True

    def _dead_references(self) -> Iterator[tuple[Parsed, ast.AST, DefinitionId]]:
        for target in sorted(self.dead):
            for reference in self.visible.bench.named[target]:
                if (
                    reference.path not in self.visible.bench.index.test_paths
                    or not reference.strong
                ):
                    continue
                if DefinitionId(f"{reference.path}::") in self.dead:
                    continue
                file = self.visible.bench.sources.file(reference.path)
                node = file.find(reference) if file is not None else None
                if file is not None and node is not None and node is not file.tree:
                    yield file, node, reference.target

    def _unwire(self, file: Parsed, node: ast.AST, target: DefinitionId) -> None:
        if isinstance(node, ast.alias):
            if self._binds(file, node, target):
                self.visible.cut(file, "alias", node)
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            if DefinitionId(target) in self.dead and target.endswith("::"):
                self.visible.cut(file, "statement", node)
            return
        item = next(
            (i for at in file.around(node) if (i := self.visible.items.by_node.get(at))), None
        )
        if item is not None:
            self._hide_more(item, target)
            return
        unit = unit_of(file, node)
        element = element_of(file, node, unit)
        if element is not None:
            self.visible.cut(file, "element", element)
        elif isinstance(unit, ast.Expr):
            self.visible.cut(file, "statement", unit)
        elif isinstance(unit, Function) and unit.name.startswith("test"):
            self.visible.cut(file, "statement", unit)  # never ran, or it would be an item
        else:
            self._doom(file, unit, target)

    def _binds(self, file: Parsed, node: ast.alias, target: DefinitionId) -> bool:
        """Tell whether an imported name is what is dead, not only on the way to it."""
        if not target.endswith("::"):
            return True
        stem = target.removesuffix("::").removesuffix(".py").removesuffix("/__init__")
        last = stem.rpartition("/")[2]
        return (
            node.name.rpartition(".")[2] == last or file.parents[node].__class__ is ast.ImportFrom
        )

    def _hide_more(self, item: Item, target: DefinitionId) -> None:
        """Hide a test that names what is dead although it does not reach it."""
        more = [test for test in item.tests if test not in self.visible.hidden]
        if len(self.visible.hidden) + len(more) > self.allowance:
            self._block(target, f"a test that stays needs it ({item.file.path}: {item.node.name})")
            return
        self.visible.hide(item)

    def _block(self, target: DefinitionId, reason: str) -> None:
        self.blocked.setdefault(target, reason)

    def _doom(self, file: Parsed, unit: ast.stmt, target: DefinitionId) -> None:
        self._doomed.setdefault(unit, (file, target))
        for item in self.visible.items.held(file):
            if inside(file, item.node, unit) and not self.visible.is_gone(file, item.node):
                self._hide_more(item, target)
        self._end(unit)

    def _end(self, unit: ast.AST) -> bool:
        """Remove a doomed unit that nothing uses any more; tell whether it is gone."""
        file, _ = self._doomed[unit]
        if self.visible.is_gone(file, unit):
            return True
        if self.visible.used(file, unit):
            return False
        self.visible.cut(file, "statement", unit)
        return True

    def _settle_doomed(self, sweep: Sweep) -> None:
        """Hide the few tests that use what cannot stay, or say that it must stay."""
        for _ in range(_ROUNDS):
            left = [unit for unit in self._doomed if not self._end(unit)]
            if not left or self.blocked:
                break
            for unit in left:
                self._doom_users(unit)
            self._sweep(sweep)
        sweep.files()

    def _doom_users(self, unit: ast.AST) -> None:
        file, target = self._doomed[unit]
        for other, node in list(self.visible.uses(file, unit)):
            item = next(
                (i for at in other.around(node) if (i := self.visible.items.by_node.get(at))), None
            )
            where = unit_of(other, node) if not isinstance(node, ast.alias) else node
            if isinstance(node, ast.alias):
                self.visible.cut(other, "alias", node)
            elif item is not None:
                self._hide_more(item, target)
            elif where is unit or where in self._doomed or isinstance(where, ast.Module):
                if any(True for _ in self.visible.implicit_uses(file, unit)):
                    self._block(target, f"tests that stay need it ({file.path})")
            elif isinstance(where, ast.Expr):
                self.visible.cut(other, "statement", where)
            else:
                self._doom(other, where, target)  # type: ignore[arg-type]

    def _hide_vanished(self) -> None:
        """Hide what was collected from a file, or through an import of its class, that went."""
        removed, items = self.visible.removed_files, self.visible.items
        for path in removed | self.visible.gone.keys():
            file = self.visible.bench.sources.file(path)
            for key in items.by_path.get(path, ()):
                if path in removed or (
                    file is not None and key.classes and self._import_gone(file, key.classes[0])
                ):
                    self.visible.hidden.update(items.keys[key])

    def _import_gone(self, file: Parsed, name: str) -> bool:
        imports = imports_of(file, name)
        return bool(imports) and all(self.visible.is_gone(file, alias) for alias in imports)

    def _result(self) -> TestSide:
        self._hide_vanished()
        edits: dict[str, bytes | None] = dict.fromkeys(sorted(self.visible.removed_files))
        edits |= self._data
        for path in sorted(self.visible.cuts):
            file = self.visible.bench.sources.file(path)
            if file is None or path in self.visible.removed_files:
                continue
            edits[path] = cut.apply(file.data, self.visible.cuts[path], file.tree)
        ungradable: list[TestId] = []
        for test in sorted(set(self.visible.items.unplaced) & self.visible.hidden):
            path = test.partition("::")[0]
            if path.endswith(".py"):
                ungradable.append(test)
            elif path not in edits and (self.visible.bench.root / path).is_file():
                edits[path] = None
        edits |= dict.fromkeys(unused_data(self.visible.bench, edits, self.visible.gone))
        return TestSide(
            edits=edits,
            hidden_files=hidden_files(self.visible.bench, edits, self.dead),
            hidden_tests=tuple(sorted(self.visible.hidden)),
            blocked={},
            ungradable=tuple(ungradable),
        )
