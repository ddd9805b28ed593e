"""Cut what removed tests leave behind: empty blocks, unused helpers and imports, spent files."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.lint import Fault
from featuredel.languages.python.loose_ends import LooseEnds
from featuredel.languages.python.parsed import Function, Parsed, blocks
from featuredel.languages.python.sites import stored_names
from featuredel.languages.python.units import inside, is_plain, told, units
from featuredel.languages.python.visible import Visible
from featuredel.languages.python.words import (
    fixture_names,
    is_fixture,
    is_implicit,
    is_registered,
    within,
)
from featuredel.model import DefinitionId, TestId

_ROUNDS = 40
_UNDEFINED = ("undefined name", "undefined local")


@dataclass(slots=True)
class Sweep:
    """Goes over the files that were cut until there is nothing left to do."""

    visible: Visible
    undefined: Callable[[Parsed, ast.Name], None]  # called for a name that has lost its binding
    _linted: dict[str, int] = field(default_factory=dict)
    _ends: LooseEnds = field(default_factory=LooseEnds)
    _mentioned: dict[ast.AST, frozenset[str]] = field(default_factory=dict)

    def run(self) -> None:
        """Cut what has become empty or unused."""
        for _ in range(_ROUNDS):
            before = self.visible.progress
            for path in sorted(self.visible.gone):
                file = self.visible.bench.sources.file(path)
                if file is not None and path not in self.visible.removed_files:
                    self._empty(file)
                    self._unused(file)
                    self._lint(file)
            self._unused_elsewhere()
            if self.visible.progress == before:
                return

    def files(self) -> None:
        """Remove test files without a test left, and helpers that only they imported."""
        removed = self.visible.removed_files
        for path in sorted(self.visible.gone):
            if path not in removed and self._is_spent_file(path):
                removed.add(path)
        self.run()
        for path in sorted(self.visible.bench.index.test_paths):
            if path not in removed and self._is_orphan(path):
                removed.add(path)

    def _empty(self, file: Parsed) -> None:
        """Remove compound statements and test classes that have lost what they were for."""
        for node in list(self.visible.gone[file.path]):
            outer = file.parents.get(node)
            while isinstance(outer, ast.stmt) and not self.visible.is_gone(file, outer):
                if isinstance(outer, ast.ClassDef):
                    if not self._is_spent(file, outer):
                        break
                elif not self._is_hollow(file, outer):
                    break
                self.visible.cut(file, "statement", outer)
                outer = file.parents.get(outer)

    def _is_hollow(self, file: Parsed, node: ast.stmt) -> bool:
        if not isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            return False
        if isinstance(file.parents.get(node), ast.If) and node in file.parents[node].orelse:  # type: ignore[attr-defined]
            return False
        return all(self.visible.is_gone(file, child) for block in blocks(node) for child in block)

    def _is_spent(self, file: Parsed, node: ast.ClassDef) -> bool:
        """Tell whether a test class has no test left, of its own or inherited, and no user."""
        held = [i for i in self.visible.items.held(file) if inside(file, i.node, node)]
        if not held and not any(child in self.visible.gone[file.path] for child in node.body):
            return False
        if any(
            not self.visible.is_gone(file, item.node) for item in held if item.tests or item.aside
        ):
            return False
        classes = tuple(
            at.name for at in reversed(list(file.around(node))) if isinstance(at, ast.ClassDef)
        )
        for key in self.visible.items.by_holder.get((file.path, classes), ()):
            ids = self.visible.items.keys[key]
            if key.classes == classes and not self.visible.hidden.issuperset(ids):
                return False
        if not held and any(
            isinstance(child, Function | ast.ClassDef) and not self.visible.is_gone(file, child)
            for child in node.body
        ):
            return False
        return not self.visible.used(file, node)

    def _unused(self, file: Parsed) -> None:
        words: dict[ast.AST, set[str]] = {}
        for unit in units(file):
            if self.visible.is_gone(file, unit) or isinstance(unit, ast.Import | ast.ImportFrom):
                continue
            names = fixture_names(unit) if isinstance(unit, Function) else stored_names([unit])
            holder = file.parents[unit]
            if holder not in words:
                words[holder] = self._words_gone(file, holder)
            if words[holder].isdisjoint(names) or unit in self.visible.items.by_node:
                continue
            self._drop_unused(file, unit)

    def _words_gone(self, file: Parsed, holder: ast.AST) -> set[str]:
        """Return the words that a module, or a class, has lost.

        What a class does not use itself, such as a setting, may be for a base from elsewhere.
        """
        gone = self.visible.gone[file.path]
        lost = [n for n in gone if holder is file.tree or inside(file, n, holder)]
        return {word for node in lost for word in self._within(node)}

    def _drop_unused(self, file: Parsed, unit: ast.stmt) -> None:
        if is_implicit(unit) or is_registered(unit) or not is_plain(unit):
            return
        holder = file.parents[unit]
        if isinstance(holder, ast.ClassDef) and not self._is_test_class(file, holder):
            return  # its methods may be what a protocol asks for
        if isinstance(unit, ast.ClassDef) and any(
            not self.visible.is_gone(file, node)
            for node in ast.walk(unit)
            if node in self.visible.items.by_node
        ):
            return
        if isinstance(unit, ast.Assign | ast.AnnAssign) and self._handed_out(file, unit):
            return
        if not self.visible.used(file, unit) and not self.visible.stands_in(file, unit):
            self.visible.cut(file, "statement", unit)

    def _handed_out(self, file: Parsed, unit: ast.stmt) -> bool:
        """Tell whether a setting may be read from the module: its tests hand out its name."""
        if not any(name.isupper() for name in stored_names([unit])):
            return False
        return any(
            isinstance(node, ast.Name)
            and node.id == "__name__"
            and isinstance(file.parents[node], ast.Call)
            and not self.visible.is_gone(file, node)
            for node in ast.walk(file.tree)
        )

    def _is_test_class(self, file: Parsed, node: ast.ClassDef) -> bool:
        return any(inside(file, i.node, node) for i in self.visible.items.held(file))

    def _unused_elsewhere(self) -> None:
        """Drop helpers in other test files whose every use has gone."""
        bench, removed = self.visible.bench, self.visible.removed_files
        names_taken = bench.once(_taken_elsewhere)
        places: dict[str, set[str]] = {}
        for taker in self.visible.gone.keys() | removed:
            for path, name in names_taken.get(taker, ()):
                places.setdefault(path, set()).add(name)
        words: set[str] | None = None
        for path in sorted((bench.once(_conftests) | places.keys()) - removed):
            file = bench.sources.file(path)
            if file is None:
                continue
            if words is None:
                words = self._gone_words()
            wanted = places.get(path, set())
            for unit in units(file):
                names = fixture_names(unit) if isinstance(unit, Function) else stored_names([unit])
                relevant = not wanted.isdisjoint(names) or (
                    is_fixture(unit) and not words.isdisjoint(names)
                )
                if (
                    relevant
                    and not self.visible.is_gone(file, unit)
                    and unit not in self.visible.items.by_node
                ):
                    self._drop_unused(file, unit)

    def _within(self, node: ast.AST) -> frozenset[str]:
        if node not in self._mentioned:
            self._mentioned[node] = frozenset(within(node))
        return self._mentioned[node]

    def _gone_words(self) -> set[str]:
        found: set[str] = set()
        for path, nodes in self.visible.gone.items():
            file = self.visible.bench.sources.file(path)
            every = (
                [file.tree] if file is not None and path in self.visible.removed_files else nodes
            )
            found.update(word for node in every for word in self._within(node))
        return found

    def _lint(self, file: Parsed) -> None:
        cuts = self.visible.cuts.get(file.path, set())
        if self._linted.get(file.path) == len(cuts):
            return
        self._linted[file.path] = len(cuts)
        if not self._ends.possible(file, self.visible.gone[file.path]):
            return
        for fault in file.new_faults(cuts):
            for node in file.places.get((fault.line, fault.column), ()):
                self._mend(file, fault, node)

    def _mend(self, file: Parsed, fault: Fault, node: ast.AST) -> None:
        if self.visible.is_gone(file, node):
            return
        if fault.kind == "unused import" and isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if told(node, alias) == fault.name and not self._taken(file, alias):
                    self.visible.cut(file, "alias", alias)
        elif fault.kind in _UNDEFINED and isinstance(node, ast.Name) and node.id == fault.name:
            self.undefined(file, node)

    def _taken(self, file: Parsed, alias: ast.alias) -> bool:
        """Tell whether another file takes an import from this one, or pytest a fixture."""
        name = alias.asname or alias.name.partition(".")[0]
        asked = self.visible.words_of(file).parameters.get(name, ())
        if not self._is_no_fixture(file, alias) and any(
            not self.visible.is_gone(file, node) for node in asked
        ):
            return True
        for reference in self.visible.bench.named[DefinitionId(f"{file.path}::")]:
            other = self.visible.bench.sources.file(reference.path)
            node = other.find(reference) if other is not None else None
            if other is None or node is None or self.visible.is_gone(other, node):
                continue
            at = other.parents.get(node) if isinstance(node, ast.alias) else node
            if isinstance(at, ast.ImportFrom) and any(a.name in (name, "*") for a in at.names):
                return True
        return False

    def _is_no_fixture(self, file: Parsed, alias: ast.alias) -> bool:
        """Tell whether an import brings something of the project that cannot be a fixture."""
        definitions = self.visible.bench.index.definitions
        meant = [definitions.get(d) for d in self.visible.bench.meant(file, alias)]
        return any(d is not None and d.kind in ("class", "constant") for d in meant)

    def _is_spent_file(self, path: str) -> bool:
        file = self.visible.bench.sources.file(path)
        if file is None or PurePosixPath(path).name in ("conftest.py", "__init__.py"):
            return False
        held = self.visible.items.held(file)
        if not self.visible.holds_tests(path) or any(
            not self.visible.is_gone(file, i.node) for i in held
        ):
            return False
        tests = {
            t for key in self.visible.items.by_path[path] for t in self.visible.items.keys[key]
        }
        if any(self._is_at_home(file, test) for test in tests - self.visible.hidden):
            return False
        return not self.visible.imported(path)

    def _is_at_home(self, file: Parsed, test: TestId) -> bool:
        """Tell whether a test goes with its file: it is of no class that the file imports."""
        item = self.visible.items.by_test.get(test)
        return item is None or item.file is file

    def _is_orphan(self, path: str) -> bool:
        """Tell whether only removed files imported a helper module."""
        if self.visible.removed_files.isdisjoint(r.path for r in self.visible.imports_of(path)):
            return False
        if PurePosixPath(path).name in ("conftest.py", "__init__.py"):
            return False
        return not self.visible.holds_tests(path) and not self.visible.imported(path)


def _conftests(bench: Bench) -> frozenset[str]:
    paths = bench.index.test_paths
    return frozenset(path for path in paths if PurePosixPath(path).name == "conftest.py")


def _taken_elsewhere(bench: Bench) -> dict[str, set[tuple[str, str]]]:
    """Return what each file names of test files other than itself: their paths, and the names."""
    found: dict[str, set[tuple[str, str]]] = {}
    for reference in bench.index.references:
        path, _, name = reference.target.partition("::")
        if path != reference.path and path in bench.index.test_paths:
            found.setdefault(reference.path, set()).add((path, name))
    return found
