"""The visible tests in the making: what is gone so far, and who still uses what."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.collected import Item, Items
from featuredel.languages.python.cuts import Action, Cut
from featuredel.languages.python.parsed import Function, Parsed
from featuredel.languages.python.sites import stored_names
from featuredel.languages.python.units import inside
from featuredel.languages.python.words import Words, fixture_names, is_fixture, is_implicit
from featuredel.model import DefinitionId, Reference, TestId


@dataclass(slots=True)
class Visible:
    """The test files of a tree, less what has been cut. Nothing is ever put back."""

    bench: Bench
    items: Items
    hidden: set[TestId]
    gone: dict[str, set[ast.AST]] = field(default_factory=dict)
    cuts: dict[str, set[Cut]] = field(default_factory=dict)
    removed_files: set[str] = field(default_factory=set)

    @property
    def progress(self) -> tuple[int, int]:
        """A value that changes with every cut."""
        return sum(len(cuts) for cuts in self.cuts.values()), len(self.hidden)

    def is_gone(self, file: Parsed, node: ast.AST) -> bool:
        """Tell whether `node` is cut, by itself or with something around it."""
        if file.path in self.removed_files:
            return True
        gone = self.gone.get(file.path)
        return bool(gone) and any(at in (gone or ()) for at in file.around(node))

    def cut(self, file: Parsed, action: Action, node: ast.AST) -> None:
        """Cut `node` out of its file."""
        self.gone.setdefault(file.path, set()).add(node)
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        self.cuts.setdefault(file.path, set()).add(Cut(file.path, line, column, action))

    def hide(self, item: Item) -> None:
        """Cut a test function and count all its tests as hidden."""
        if not self.is_gone(item.file, item.node):
            self.hidden.update(item.tests)
            self.cut(item.file, "statement", item.node)

    def used(self, file: Parsed, unit: ast.AST) -> bool:
        """Tell whether code that stays uses what `unit` binds."""
        return any(True for _ in self.uses(file, unit))

    def uses(self, file: Parsed, unit: ast.AST) -> Iterator[tuple[Parsed, ast.AST]]:
        """Yield where code that stays uses what `unit` binds."""
        yield from self.implicit_uses(file, unit)
        fixture = is_fixture(unit)
        names = fixture_names(unit) if isinstance(unit, Function) else stored_names([unit])
        heirs = self._importers(file, file.parents.get(unit)) if fixture else ()
        for other in (*self._readers(file, fixture=fixture), *heirs):
            words = self.words_of(other)
            for name in sorted(names):
                nodes = [*words.loads.get(name, ()), *words.strings.get(name, ())]
                if fixture:
                    nodes += words.parameters.get(name, ())
                for node in nodes:
                    if not self.is_gone(other, node) and not inside(other, node, unit):
                        yield other, node
        for reference in self._elsewhere(file, unit):
            other_file = self.bench.sources.file(reference.path)
            found = other_file.find(reference) if other_file is not None else None
            if other_file is not None and found is not None and not self.is_gone(other_file, found):
                yield other_file, found

    def stands_in(self, file: Parsed, unit: ast.AST) -> bool:
        """Tell whether a fixture takes the place of an inherited one that others there ask for.

        It may be a class's own, before that of a base, or a module's, before that of a conftest.
        """
        if not is_fixture(unit):
            return False
        names = set(fixture_names(unit))  # type: ignore[arg-type]
        holder = file.parents.get(unit)
        for other in self._above(file, holder):
            nodes = [
                node for name in names for node in self.words_of(other).parameters.get(name, ())
            ]
            asked = any(not self.is_gone(other, n) and not inside(other, n, unit) for n in nodes)
            if asked and any(
                is_fixture(node) and names & set(fixture_names(node))
                for node in other.parents
                if isinstance(node, Function) and node is not unit
            ):
                return True
        return False

    def _above(self, file: Parsed, holder: ast.AST | None) -> Iterator[Parsed]:
        """Yield the files of a class's bases, or the conftests that a module can ask."""
        if isinstance(holder, ast.ClassDef):
            own = min(self._definitions(file, holder), default=None)
            paths = {d.partition("::")[0] for d in self.bench.ancestors(own)} if own else set()
        else:
            here = PurePosixPath(file.path)
            paths = {str(folder / "conftest.py") for folder in here.parents}
        for path in sorted(paths & self.bench.index.test_paths):
            other = self.bench.sources.file(path)
            if other is not None and (other is not file or isinstance(holder, ast.ClassDef)):
                yield other

    def implicit_uses(self, file: Parsed, unit: ast.AST) -> Iterator[tuple[Parsed, ast.AST]]:
        """Yield the tests for which pytest runs `unit` without being asked."""
        if not is_implicit(unit):
            return
        holder = file.parents[unit]
        for node, item in self.items.by_node.items():
            everywhere = PurePosixPath(file.path).name == "conftest.py"
            near = everywhere or (item.file is file and inside(file, node, holder))
            if near and item.tests and not self.is_gone(item.file, node):
                yield item.file, node

    def _readers(self, file: Parsed, *, fixture: bool) -> Iterator[Parsed]:
        """Yield the files whose words count as uses of a unit of `file`."""
        yield file
        if not fixture:
            return
        folder = str(PurePosixPath(file.path).parent)
        shared = PurePosixPath(file.path).name == "conftest.py" or not self.holds_tests(file.path)
        for path in sorted(self.bench.index.test_paths) if shared else ():
            other = self.bench.sources.file(path)
            if other is not None and path != file.path and (
                not self.holds_tests(file.path) or folder == "." or path.startswith(folder + "/")
            ):  # fmt: skip
                yield other

    def _importers(self, file: Parsed, holder: ast.AST | None) -> Iterator[Parsed]:
        """Yield the other test files that name a class: heirs there ask for its fixtures."""
        if isinstance(holder, ast.ClassDef):
            for path in sorted({r.path for r in self._elsewhere(file, holder)}):
                other = self.bench.sources.file(path)
                if other is not None and path in self.bench.index.test_paths:
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

    def words_of(self, file: Parsed) -> Words:
        """Return the mentions of names in a file, read once."""
        return file.once(Words)

    def holds_tests(self, path: str) -> bool:
        """Tell whether any baseline test stands in a file."""
        return path in self.items.by_path

    def imports_of(self, path: str) -> Iterable[Reference]:
        """Return where other files import a file."""
        return (r for r in self.bench.named[DefinitionId(f"{path}::")] if r.path != path)

    def imported(self, path: str) -> bool:
        """Tell whether code that stays imports a file."""
        for reference in self.imports_of(path):
            other = self.bench.sources.file(reference.path)
            node = other.find(reference) if other is not None else None
            if other is not None and node is not None and not self.is_gone(other, node):
                return True
        return False
