"""Which tests of a hidden file could notice that it is not the original byte for byte.

The two differ in the statements that placeholders stand in. A test that uses none of them, at
whatever remove within the file, is the same code with the same names.
"""

import ast
from collections.abc import Collection, Iterable, Iterator

from featuredel.languages.python.gold import Function
from featuredel.languages.python.source import parse
from featuredel.model import TestId

_EVERYWHERE = ("pytest_", "pytestmark", "setup_", "teardown_", "setUpModule", "tearDownModule")


def touched(original: bytes, hidden: bytes, tests: Collection[TestId]) -> frozenset[TestId]:
    """Return those of the `tests` of a file that its placeholders may change; in doubt, all."""
    old, new = parse(original), parse(hidden)
    spread = _Spread()
    if old is None or new is None or not spread.through(old, new):
        return frozenset(tests)
    return frozenset(test for test in tests if spread.holds(test))


class _Spread:
    """The names of a file that something other stands behind."""

    def __init__(self) -> None:
        self.names: set[str] = set()  # functions, classes and whatever else the file binds
        self.methods: set[tuple[str, str]] = set()  # of classes that are else the same

    def through(self, old: ast.Module, new: ast.Module) -> bool:
        """Follow the changes through the file; return False where they have no bounds."""
        there = {ast.dump(node) for node in _singly(new.body)}
        own = list(_singly(old.body))
        classes = {node.name: node for node in new.body if isinstance(node, ast.ClassDef)}
        for node in own:
            if ast.dump(node) not in there and not self._changed(node, classes):
                return False
        made = there - {ast.dump(node) for node in own}
        for node in new.body:
            if isinstance(node, ast.Expr) and ast.dump(node) in made:
                self.names.update(_starred(node))
        size = -1
        while size != len(self.names) + len(self.methods):
            size = len(self.names) + len(self.methods)
            if not all(self._reached(node) for node in own):
                return False
        return not any(name.startswith(_EVERYWHERE) for name in self.names)

    def holds(self, test: TestId) -> bool:
        first, *rest = test.partition("::")[2].partition("[")[0].split("::")
        return first in self.names or (bool(rest) and (first, rest[0]) in self.methods)

    def _changed(self, node: ast.stmt, others: dict[str, ast.ClassDef]) -> bool:
        other = others.get(node.name) if isinstance(node, ast.ClassDef) else None
        if not isinstance(node, ast.ClassDef) or other is None or _head(node) != _head(other):
            return self._takes(node)
        there = {ast.dump(inner) for inner in other.body}
        return all(
            self._takes_inner(node, inner) for inner in node.body if ast.dump(inner) not in there
        )

    def _reached(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.ClassDef) and not self._meets(_header(node)):
            return all(
                self._takes_inner(node, inner) for inner in node.body if self._meets([inner])
            )
        return self._takes(node) if self._meets([node]) else True

    def _meets(self, nodes: Iterable[ast.AST]) -> bool:
        partly = {name for name, _ in self.methods}
        inside = [inner for node in nodes for inner in ast.walk(node)]
        found = {name for inner in inside for name in _mentioned(inner)}
        return not found.isdisjoint(self.names | partly)

    def _takes(self, node: ast.stmt) -> bool:
        """Count what a statement binds; return False if it may change anything."""
        bound = set(_bound(node))
        self.names |= bound
        if isinstance(node, Function | ast.ClassDef):
            return "autouse" not in map(_argument, _walk(node))
        return bool(bound) and not any(isinstance(inner, ast.Expr) for inner in ast.walk(node))

    def _takes_inner(self, holder: ast.ClassDef, node: ast.stmt) -> bool:
        if isinstance(node, Function) and node.name.startswith("test"):
            self.methods.add((holder.name, node.name))
            return True
        return self._takes(holder)


def _singly(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, with each name of an import by itself."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (ast.Import([alias]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (ast.ImportFrom(node.module, [alias], node.level) for alias in node.names)
        else:
            yield node


def _head(node: ast.ClassDef) -> list[str]:
    return [ast.dump(part) for part in _header(node)]


def _header(node: ast.ClassDef) -> list[ast.AST]:
    return [*node.bases, *node.keywords, *node.decorator_list]


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.alias):
            yield inner.asname or inner.name.partition(".")[0]
        elif isinstance(inner, Function | ast.ClassDef):
            yield inner.name
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id


def _mentioned(node: ast.AST) -> Iterator[str]:
    """Yield what a node may name: a fixture is named by an argument, or by its text."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _starred(node: ast.Expr) -> Iterator[str]:
    """Yield the names that a star import is asked for in its hidden form."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.List):
            yield from (str(e.value) for e in inner.elts if isinstance(e, ast.Constant))


def _walk(node: ast.stmt) -> Iterator[ast.AST]:
    for decorator in getattr(node, "decorator_list", ()):
        yield from ast.walk(decorator)


def _argument(node: ast.AST) -> str | None:
    return node.arg if isinstance(node, ast.keyword) else None
