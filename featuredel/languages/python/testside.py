"""Remove a feature's tests from the visible tree, and what only they used.

What goes is decided on the original trees of the files and cut in one pass, so that what stays
is the same byte for byte.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from featuredel.languages.python import cut, parametrize
from featuredel.languages.python.bench import Bench
from featuredel.languages.python.collected import Item, Items, Key, case, items
from featuredel.languages.python.cut import Action, Cut
from featuredel.languages.python.datafiles import unused_data
from featuredel.languages.python.hidden import hidden_files
from featuredel.languages.python.lint import Fault, new_faults, tree_faults
from featuredel.languages.python.parsed import Function, Parsed, blocks, fresh_tree
from featuredel.languages.python.prune import prune
from featuredel.languages.python.sites import stored_names
from featuredel.languages.python.words import (
    Words,
    fixture_names,
    is_fixture,
    is_implicit,
    is_registered,
    within,
)
from featuredel.model import DefinitionId, HiddenFile, Reference, TestId

_ROUNDS = 40
_UNDEFINED = ("undefined name", "undefined local")
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
    return _Remover(bench, tests, frozenset(dead)).removed()


@dataclass(slots=True)
class _Remover:
    bench: Bench
    tests: Collection[TestId]
    dead: frozenset[DefinitionId]
    hidden: set[TestId] = field(default_factory=set)
    blocked: dict[DefinitionId, str] = field(default_factory=dict)
    _items: Items = field(default_factory=Items)
    _gone: dict[str, set[ast.AST]] = field(default_factory=dict)
    _cuts: dict[str, set[Cut]] = field(default_factory=dict)
    _removed_files: set[str] = field(default_factory=set)
    _doomed: dict[ast.AST, tuple[Parsed, DefinitionId]] = field(default_factory=dict)
    _words: dict[str, Words] = field(default_factory=dict)
    _linted: dict[str, int] = field(default_factory=dict)
    _mentioned: dict[ast.AST, frozenset[str]] = field(default_factory=dict)
    _allowance: int = 0

    def removed(self) -> TestSide:
        self.hidden = set(self.tests)
        allowed = max(_MORE_HIDDEN_FREE, int(len(self.tests) * _MORE_HIDDEN))
        self._allowance = len(self.hidden) + allowed
        baseline = self.bench.relation.baseline
        self._items = items(self.bench, baseline.tests, [s.id for s in baseline.set_aside])
        self._remove_hidden()
        references = list(self._dead_references())
        for _ in range(_ROUNDS):
            before = self._progress()
            for file, node, target in references:
                if not self._is_gone(file, node):
                    self._unwire(file, node, target)
            self._sweep()
            if self._progress() == before:
                break
        self._modules()
        self._settle_doomed()
        if self.blocked:
            return TestSide({}, (), (), self.blocked, ())
        return self._result()

    def _progress(self) -> tuple[int, int, int]:
        cuts = sum(len(cuts) for cuts in self._cuts.values())
        return cuts, len(self.hidden), len(self._doomed)

    # --- marking

    def _is_gone(self, file: Parsed, node: ast.AST) -> bool:
        if file.path in self._removed_files:
            return True
        gone = self._gone.get(file.path)
        return bool(gone) and any(at in (gone or ()) for at in file.around(node))

    def _cut(
        self, file: Parsed, action: Action, node: ast.AST, place: ast.AST | None = None
    ) -> None:
        at = place or node
        self._gone.setdefault(file.path, set()).add(node)
        line, column = at.lineno, at.col_offset  # type: ignore[attr-defined]
        self._cuts.setdefault(file.path, set()).add(Cut(file.path, line, column, action))

    def _hide(self, item: Item) -> None:
        if not self._is_gone(item.file, item.node):
            self.hidden.update(item.tests)
            self._cut(item.file, "statement", item.node)

    # --- the tests of T

    def _remove_hidden(self) -> None:
        for node, held in sorted(self._classes(), key=lambda pair: pair[1][0].path):
            file, keys = held[0], held[1]
            ids = [test for key in keys for test in self._items.keys[key]]
            inner = [
                i
                for n, i in self._items.by_node.items()
                if i.file is file and _inside(file, n, node)
            ]
            if (
                all(test in self.hidden for test in ids)
                and all(test in self.hidden for item in inner for test in item.tests)
                and not any(True for _ in self._uses(file, node))
            ):
                self._cut(file, "statement", node)
        for item in self._items.by_node.values():
            if self._is_gone(item.file, item.node):
                continue
            left = {key: ids for key, ids in item.ids.items() if not self._holder_gone(key)}
            ids = [test for some in left.values() for test in some]
            gone = [test for test in ids if test in self.hidden]
            if not gone:
                continue
            if len(gone) == len(ids) or not self._cut_cases(item, left):
                self._hide(item)

    def _classes(self) -> Iterator[tuple[ast.ClassDef, tuple[Parsed, list[Key]]]]:
        """Yield the test classes all of whose tests are hidden, with what they run."""
        holders: dict[tuple[str, tuple[str, ...]], list[Key]] = {}
        for key in self._items.keys:
            for depth in range(1, len(key.classes) + 1):
                holders.setdefault((key.path, key.classes[:depth]), []).append(key)
        for (path, classes), keys in holders.items():
            if not all(t in self.hidden for key in keys for t in self._items.keys[key]):
                continue
            definition = self.bench.index.definitions.get(
                DefinitionId(f"{path}::{'.'.join(classes)}")
            )
            file = self.bench.sources.file(path)
            if definition is None or file is None:
                continue
            for node in file.statements_of(definition):
                if isinstance(node, ast.ClassDef):
                    yield node, (file, keys)

    def _holder_gone(self, key: Key) -> bool:
        if not key.classes:
            return False
        own = self.bench.index.definitions.get(DefinitionId(f"{key.path}::{'.'.join(key.classes)}"))
        file = self.bench.sources.file(key.path)
        if own is None or file is None:
            return False
        return all(self._is_gone(file, node) for node in file.statements_of(own))

    def _cut_cases(self, item: Item, left: Mapping[Key, list[TestId]]) -> bool:
        """Cut single cases of a parametrised test; tell whether that was possible."""
        if len(left) != 1:
            return False
        (ids,) = left.values()
        aside = [test for test in item.aside if test not in ids]
        cases = [case(test) for test in (*ids, *aside)]
        gone = {case(test) for test in ids if test in self.hidden}
        elements = parametrize.removable(item.node, cases, gone)
        if elements is None:
            return False
        for element in elements:
            self._cut(item.file, "element", element, _element_place(element))
        return True

    # --- what names something dead

    def _dead_references(self) -> Iterator[tuple[Parsed, ast.AST, DefinitionId]]:
        for target in sorted(self.dead):
            for reference in self.bench.named[target]:
                if reference.path not in self.bench.index.test_paths or not reference.strong:
                    continue
                if DefinitionId(f"{reference.path}::") in self.dead:
                    continue
                file = self.bench.sources.file(reference.path)
                node = file.find(reference) if file is not None else None
                if file is not None and node is not None and node is not file.tree:
                    yield file, node, reference.target

    def _unwire(self, file: Parsed, node: ast.AST, target: DefinitionId) -> None:
        if isinstance(node, ast.alias):
            if self._binds(file, node, target):
                self._cut(file, "alias", node)
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            if DefinitionId(target) in self.dead and target.endswith("::"):
                self._cut(file, "statement", node)
            return
        item = next((i for at in file.around(node) if (i := self._items.by_node.get(at))), None)
        if item is not None:
            self._hide_more(item, target)
            return
        unit = _unit(file, node)
        element = _element(file, node, unit)
        if element is not None:
            self._cut(file, "element", element, _element_place(element))
        elif isinstance(unit, ast.Expr):
            self._cut(file, "statement", unit)
        elif isinstance(unit, Function) and unit.name.startswith("test"):
            self._cut(file, "statement", unit)  # never ran, or it would be an item
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
        more = [test for test in item.tests if test not in self.hidden]
        if len(self.hidden) + len(more) > self._allowance:
            self._block(target, f"a test that stays needs it ({item.file.path}: {item.node.name})")
            return
        self._hide(item)

    def _block(self, target: DefinitionId, reason: str) -> None:
        self.blocked.setdefault(target, reason)

    # --- helpers that need what is dead

    def _doom(self, file: Parsed, unit: ast.stmt, target: DefinitionId) -> None:
        self._doomed.setdefault(unit, (file, target))
        for node, item in self._items.by_node.items():
            if item.file is file and _inside(file, node, unit) and not self._is_gone(file, node):
                self._hide_more(item, target)
        self._end(unit)

    def _end(self, unit: ast.AST) -> bool:
        """Remove a doomed unit that nothing uses any more; tell whether it is gone."""
        file, _ = self._doomed[unit]
        if self._is_gone(file, unit):
            return True
        if any(True for _ in self._uses(file, unit)):
            return False
        self._cut(file, "statement", unit)
        return True

    def _settle_doomed(self) -> None:
        """Hide the few tests that use what cannot stay, or say that it must stay."""
        for _ in range(_ROUNDS):
            left = [unit for unit in self._doomed if not self._end(unit)]
            if not left or self.blocked:
                break
            for unit in left:
                self._doom_users(unit)
            self._sweep()
        self._modules()

    def _doom_users(self, unit: ast.AST) -> None:
        file, target = self._doomed[unit]
        for other, node in list(self._uses(file, unit)):
            item = next(
                (i for at in other.around(node) if (i := self._items.by_node.get(at))), None
            )
            where = _unit(other, node) if not isinstance(node, ast.alias) else node
            if isinstance(node, ast.alias):
                self._cut(other, "alias", node)
            elif item is not None:
                self._hide_more(item, target)
            elif where is unit or where in self._doomed or isinstance(where, ast.Module):
                if any(True for _ in self._implicit_uses(file, unit)):
                    self._block(target, f"tests that stay need it ({file.path})")
            elif isinstance(where, ast.Expr):
                self._cut(other, "statement", where)
            else:
                self._doom(other, where, target)  # type: ignore[arg-type]

    # --- use

    def _uses(self, file: Parsed, unit: ast.AST) -> Iterator[tuple[Parsed, ast.AST]]:
        """Yield where code that stays uses what `unit` binds."""
        yield from self._implicit_uses(file, unit)
        fixture = is_fixture(unit)
        names = fixture_names(unit) if isinstance(unit, Function) else stored_names([unit])
        for other in self._readers(file, fixture=fixture):
            words = self._words_of(other)
            for name in sorted(names):
                nodes = [*words.loads.get(name, ()), *words.strings.get(name, ())]
                if fixture:
                    nodes += words.parameters.get(name, ())
                for node in nodes:
                    if not self._is_gone(other, node) and not _inside(other, node, unit):
                        yield other, node
        for reference in self._elsewhere(file, unit):
            other_file = self.bench.sources.file(reference.path)
            found = other_file.find(reference) if other_file is not None else None
            if (
                other_file is not None
                and found is not None
                and not self._is_gone(other_file, found)
            ):
                yield other_file, found

    def _implicit_uses(self, file: Parsed, unit: ast.AST) -> Iterator[tuple[Parsed, ast.AST]]:
        if not is_implicit(unit):
            return
        holder = file.parents[unit]
        for node, item in self._items.by_node.items():
            everywhere = PurePosixPath(file.path).name == "conftest.py"
            near = everywhere or (item.file is file and _inside(file, node, holder))
            if near and item.tests and not self._is_gone(item.file, node):
                yield item.file, node

    def _readers(self, file: Parsed, *, fixture: bool) -> Iterator[Parsed]:
        """Yield the files whose words count as uses of a unit of `file`."""
        yield file
        if not fixture:
            return
        folder = str(PurePosixPath(file.path).parent)
        shared = PurePosixPath(file.path).name == "conftest.py" or not self._holds_tests(file.path)
        for path in sorted(self.bench.index.test_paths) if shared else ():
            other = self.bench.sources.file(path)
            if other is not None and path != file.path and (
                not self._holds_tests(file.path) or folder == "." or path.startswith(folder + "/")
            ):  # fmt: skip
                yield other

    def _elsewhere(self, file: Parsed, unit: ast.AST) -> Iterator[Reference]:
        for definition in self._definitions(file, unit):
            for reference in (*self.bench.named[definition], *self.bench.perhaps[definition]):
                if reference.path != file.path:
                    yield reference

    def _definitions(self, file: Parsed, unit: ast.AST) -> Iterator[DefinitionId]:
        outer: list[str] = []
        for at in file.around(unit):
            if at is not unit and isinstance(at, ast.ClassDef):
                outer.insert(0, at.name)
        for name in sorted(stored_names([unit])):
            yield DefinitionId(f"{file.path}::{'.'.join([*outer, name])}")

    def _words_of(self, file: Parsed) -> Words:
        if file.path not in self._words:
            self._words[file.path] = Words(file)
        return self._words[file.path]

    def _holds_tests(self, path: str) -> bool:
        return any(key.path == path for key in self._items.keys)

    # --- what became empty or unused

    def _sweep(self) -> None:
        for _ in range(_ROUNDS):
            before = self._progress()
            for path in sorted(self._gone):
                file = self.bench.sources.file(path)
                if file is not None and path not in self._removed_files:
                    self._empty(file)
                    self._unused(file)
                    self._lint(file)
            for unit in list(self._doomed):
                self._end(unit)
            self._unused_elsewhere()
            if self._progress() == before:
                return

    def _empty(self, file: Parsed) -> None:
        """Remove compound statements and test classes that have lost what they were for."""
        for node in list(self._gone[file.path]):
            outer = file.parents.get(node)
            while isinstance(outer, ast.stmt) and not self._is_gone(file, outer):
                if isinstance(outer, ast.ClassDef):
                    if not self._is_spent(file, outer):
                        break
                elif not self._is_hollow(file, outer):
                    break
                self._cut(file, "statement", outer)
                outer = file.parents.get(outer)

    def _is_hollow(self, file: Parsed, node: ast.stmt) -> bool:
        if not isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            return False
        if isinstance(file.parents.get(node), ast.If) and node in file.parents[node].orelse:  # type: ignore[attr-defined]
            return False
        return all(self._is_gone(file, child) for block in blocks(node) for child in block)

    def _is_spent(self, file: Parsed, node: ast.ClassDef) -> bool:
        """Tell whether a test class has no test left, of its own or inherited, and no user."""
        held = [
            i for n, i in self._items.by_node.items() if i.file is file and _inside(file, n, node)
        ]
        if not held and not any(child in self._gone[file.path] for child in node.body):
            return False
        if any(not self._is_gone(file, item.node) for item in held if item.tests or item.aside):
            return False
        classes = tuple(
            at.name for at in reversed(list(file.around(node))) if isinstance(at, ast.ClassDef)
        )
        for key, ids in self._items.keys.items():
            if key.holder == (file.path, classes) and any(t not in self.hidden for t in ids):
                return False
        if not held and any(
            isinstance(child, Function | ast.ClassDef) and not self._is_gone(file, child)
            for child in node.body
        ):
            return False
        return not any(True for _ in self._uses(file, node))

    def _unused(self, file: Parsed) -> None:
        words = {word for node in self._gone[file.path] for word in self._within(node)}
        for unit in _units(file):
            if self._is_gone(file, unit) or isinstance(unit, ast.Import | ast.ImportFrom):
                continue
            names = fixture_names(unit) if isinstance(unit, Function) else stored_names([unit])
            if words.isdisjoint(names) or unit in self._items.by_node:
                continue
            self._drop_unused(file, unit)

    def _drop_unused(self, file: Parsed, unit: ast.stmt) -> None:
        if is_implicit(unit) or is_registered(unit) or not _is_plain(unit):
            return
        holder = file.parents[unit]
        if isinstance(holder, ast.ClassDef) and not self._is_test_class(file, holder):
            return  # its methods may be what a protocol asks for
        if isinstance(unit, ast.ClassDef) and any(
            not self._is_gone(file, node) for node in ast.walk(unit) if node in self._items.by_node
        ):
            return
        if not any(True for _ in self._uses(file, unit)):
            self._cut(file, "statement", unit)

    def _is_test_class(self, file: Parsed, node: ast.ClassDef) -> bool:
        held = self._items.by_node.values()
        return any(i.file is file and _inside(file, i.node, node) for i in held)

    def _unused_elsewhere(self) -> None:
        """Drop helpers in other test files whose every use has gone."""
        places: dict[str, set[DefinitionId]] = {}
        for reference in self.bench.index.references:
            path = reference.target.partition("::")[0]
            if (
                path != reference.path
                and path in self.bench.index.test_paths
                and (reference.path in self._gone or reference.path in self._removed_files)
            ):
                places.setdefault(path, set()).add(reference.target)
        words: set[str] | None = None
        for path in sorted(self.bench.index.test_paths):
            shared = PurePosixPath(path).name == "conftest.py"
            file = self.bench.sources.file(path) if shared or path in places else None
            if file is None or path in self._removed_files:
                continue
            if words is None:
                words = self._gone_words()
            wanted = {d.partition("::")[2] for d in places.get(path, ())}
            for unit in _units(file):
                names = fixture_names(unit) if isinstance(unit, Function) else stored_names([unit])
                relevant = not wanted.isdisjoint(names) or (
                    is_fixture(unit) and not words.isdisjoint(names)
                )
                if relevant and not self._is_gone(file, unit) and unit not in self._items.by_node:
                    self._drop_unused(file, unit)

    def _within(self, node: ast.AST) -> frozenset[str]:
        if node not in self._mentioned:
            self._mentioned[node] = frozenset(within(node))
        return self._mentioned[node]

    def _gone_words(self) -> set[str]:
        found: set[str] = set()
        for path, nodes in self._gone.items():
            file = self.bench.sources.file(path)
            every = [file.tree] if file is not None and path in self._removed_files else nodes
            found.update(word for node in every for word in self._within(node))
        return found

    # --- lint

    def _lint(self, file: Parsed) -> None:
        cuts = self._cuts.get(file.path, set())
        if self._linted.get(file.path) == len(cuts):
            return
        self._linted[file.path] = len(cuts)
        for fault in new_faults(file.faults, tree_faults(file.path, prune(fresh_tree(file), cuts))):
            for node in file.places.get((fault.line, fault.column), ()):
                self._mend(file, fault, node)

    def _mend(self, file: Parsed, fault: Fault, node: ast.AST) -> None:
        if self._is_gone(file, node):
            return
        if fault.kind == "unused import" and isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if _told(node, alias) == fault.name and not self._taken(file, alias):
                    self._cut(file, "alias", alias)
        elif fault.kind in _UNDEFINED and isinstance(node, ast.Name) and node.id == fault.name:
            self._unwire(file, node, min(self.dead, default=DefinitionId(f"{file.path}::")))

    def _taken(self, file: Parsed, alias: ast.alias) -> bool:
        """Tell whether another file takes an import from this one, or pytest a fixture."""
        name = alias.asname or alias.name.partition(".")[0]
        asked = self._words_of(file).parameters.get(name, ())
        if any(not self._is_gone(file, node) for node in asked):
            return True
        for reference in self.bench.named[DefinitionId(f"{file.path}::")]:
            other = self.bench.sources.file(reference.path)
            node = other.find(reference) if other is not None else None
            if other is None or node is None or self._is_gone(other, node):
                continue
            at = other.parents.get(node) if isinstance(node, ast.alias) else node
            if isinstance(at, ast.ImportFrom) and any(a.name in (name, "*") for a in at.names):
                return True
        return False

    # --- files

    def _modules(self) -> None:
        """Remove test files without a test left, and helpers that only they imported."""
        for path in sorted(self._gone):
            if path not in self._removed_files and self._is_spent_file(path):
                self._removed_files.add(path)
        self._sweep()
        for path in sorted(self.bench.index.test_paths):
            if path not in self._removed_files and self._is_orphan(path):
                self._removed_files.add(path)

    def _is_spent_file(self, path: str) -> bool:
        file = self.bench.sources.file(path)
        if file is None or PurePosixPath(path).name in ("conftest.py", "__init__.py"):
            return False
        held = [i for i in self._items.by_node.values() if i.file is file]
        if not held or any(not self._is_gone(file, i.node) for i in held):
            return False
        if any(
            k.path == path and any(t not in self.hidden for t in ids)
            for k, ids in self._items.keys.items()
        ):
            return False
        return not self._imported(path)

    def _is_orphan(self, path: str) -> bool:
        """Tell whether only removed files imported a helper module."""
        if PurePosixPath(path).name in ("conftest.py", "__init__.py") or self._holds_tests(path):
            return False
        users = {r.path for r in self._imports_of(path)}
        return bool(users & self._removed_files) and not self._imported(path)

    def _imports_of(self, path: str) -> Iterable[Reference]:
        return (r for r in self.bench.named[DefinitionId(f"{path}::")] if r.path != path)

    def _imported(self, path: str) -> bool:
        for reference in self._imports_of(path):
            other = self.bench.sources.file(reference.path)
            node = other.find(reference) if other is not None else None
            if other is not None and node is not None and not self._is_gone(other, node):
                return True
        return False

    # --- the result

    def _result(self) -> TestSide:
        edits: dict[str, bytes | None] = dict.fromkeys(sorted(self._removed_files))
        for path in sorted(self._cuts):
            file = self.bench.sources.file(path)
            if file is None or path in self._removed_files:
                continue
            edits[path] = cut.apply(file.data, self._cuts[path])
        ungradable: list[TestId] = []
        for test in sorted(set(self._items.unplaced) & self.hidden):
            path = test.partition("::")[0]
            if path.endswith(".py"):
                ungradable.append(test)
            elif path not in edits and (self.bench.root / path).is_file():
                edits[path] = None
        edits |= dict.fromkeys(unused_data(self.bench, edits, self._gone))
        return TestSide(
            edits=edits,
            hidden_files=hidden_files(self.bench, edits, self.dead),
            hidden_tests=tuple(sorted(self.hidden)),
            blocked={},
            ungradable=tuple(ungradable),
        )


def _inside(file: Parsed, node: ast.AST, outer: ast.AST) -> bool:
    return any(at is outer for at in file.around(node))


def _units(file: Parsed) -> Iterator[ast.stmt]:
    """Yield what a file can lose on its own: statements of the module, its arms and its classes."""
    waiting: list[ast.AST] = [file.tree]
    while waiting:
        for block in blocks(waiting.pop()):
            for node in block:
                if isinstance(node, ast.If | ast.Try | ast.With):
                    waiting.append(node)
                    continue
                if isinstance(node, ast.ClassDef):
                    waiting.append(node)
                yield node


def _unit(file: Parsed, node: ast.AST) -> ast.stmt:
    """Return the unit that holds `node`: the innermost one that is no part of a function."""
    found: ast.stmt | None = None
    for at in file.around(node):
        if isinstance(at, ast.stmt) and (found is None or isinstance(at, Function)):
            found = at
    assert found is not None
    return found


def _is_plain(unit: ast.stmt) -> bool:
    return isinstance(unit, Function | ast.ClassDef | ast.Assign | ast.AnnAssign)


def _element(file: Parsed, node: ast.AST, unit: ast.stmt) -> ast.expr | None:
    """Return the element of the outermost display around `node` that can go by itself."""
    if not isinstance(unit, ast.Assign | ast.AnnAssign):
        return None
    found: ast.expr | None = None
    for at in file.around(node):
        outer = file.parents.get(at)
        if isinstance(outer, ast.List | ast.Set) or (
            isinstance(outer, ast.Tuple) and isinstance(file.parents.get(outer), ast.stmt)
        ):
            found = at if isinstance(at, ast.expr) else None
        elif isinstance(outer, ast.Dict) and isinstance(at, ast.expr):
            row = next((r for r, v in enumerate(outer.values) if v is at), None)
            found = at if row is None else outer.keys[row]
        if isinstance(outer, ast.stmt | None):
            break
    return found


def _element_place(element: ast.expr) -> ast.AST:
    return element


def _told(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """Return an import as pyflakes tells it."""
    if isinstance(node, ast.Import):
        renamed = alias.asname and alias.asname != alias.name.rpartition(".")[2]
        return f"{alias.name} as {alias.asname}" if renamed else alias.name
    dots = "." * node.level + (node.module or "")
    full = f"{dots}.{alias.name}" if node.module else f"{dots}{alias.name}"
    return f"{full} as {alias.asname}" if alias.asname and alias.asname != alias.name else full
