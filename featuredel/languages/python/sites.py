"""The words in which rules speak: a site to unwire, and what to do about it."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from featuredel.languages.python.cuts import Action, Cut, Place
from featuredel.languages.python.parsed import Function, Parsed
from featuredel.model import Definition, DefinitionId


@dataclass(frozen=True, slots=True)
class Site:
    """A place in retained code that names something dead."""

    file: Parsed
    node: ast.AST
    target: DefinitionId
    holder: DefinitionId  # the innermost definition around it
    kind: str
    strong: bool


@dataclass(frozen=True, slots=True)
class Removal:
    """A cut, and the nodes of the original tree that are gone with it."""

    cut: Cut
    gone: tuple[ast.AST, ...]


@dataclass(frozen=True, slots=True)
class Unwire:
    """What a rule says to do: cut this, and count these definitions as dead."""

    removals: tuple[Removal, ...] = ()
    dead: tuple[DefinitionId, ...] = ()


@dataclass(frozen=True, slots=True)
class Blocked:
    """What a rule says if the site must stay: then the target must stay as well."""

    reason: str


Decision = Unwire | Blocked | None
"""None: the rule has nothing to say here."""


class View(Protocol):
    """What rules may ask about the plan."""

    def live(self, file: Parsed, first: int, last: int) -> bool:
        """Tell whether a test that stays, or an import, executes one of these lines."""
        ...

    def tested(self, file: Parsed, first: int, last: int) -> bool:
        """Tell whether any test executes one of these lines."""
        ...

    def gone(self, file: Parsed, node: ast.AST) -> bool:
        """Tell whether `node` is cut already, by itself or with something around it."""
        ...

    def definition(self, of: DefinitionId) -> Definition | None:
        """Return what is known of a definition."""
        ...

    def may_die(self, definition: DefinitionId) -> bool:
        """Tell whether a definition can go: no test that stays needs it and nothing holds it."""
        ...

    def untested(self, definition: DefinitionId) -> bool:
        """Tell whether no test at all enters a definition."""
        ...

    def in_use(self, file: Parsed, key: ast.expr, target: DefinitionId) -> bool:
        """Tell whether code that stays may look up `target` under a key, and no test shows it."""
        ...

    def follows(self, file: Parsed) -> bool:
        """Tell whether a file is no part of the project: it may lose whatever uses the dead."""
        ...

    def constant(self, file: Parsed, node: ast.stmt) -> DefinitionId | None:
        """Return the constant that an assignment defines."""
        ...


def removal(file: Parsed, action: Action, node: ast.AST, *gone: ast.AST) -> Removal:
    """Return the cut of `node`; what is gone is the node itself unless said otherwise."""
    line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
    return Removal(Cut(file.path, line, column, action), gone or (node,))


def replacement(file: Parsed, node: ast.AST, text: str, *gone: ast.AST) -> Removal:
    """Return the cut that puts `text` in the place of the expression `node`."""
    place: Place = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
    end: Place = (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
    return Removal(Cut(file.path, *place, "replace", end, text), gone or (node,))


def statement_removal(file: Parsed, node: ast.stmt) -> Unwire:
    """Return the decision to remove a whole statement."""
    return Unwire((removal(file, "statement", node),))


def expressions(file: Parsed, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield (inner, outer) from `node` up to the statement, which is the last outer."""
    for inner in file.around(node):
        if isinstance(inner, ast.stmt):
            return
        outer = file.parents.get(inner)
        if outer is None:
            return
        yield inner, outer


def is_called(file: Parsed, node: ast.AST) -> bool:
    """Tell whether the expression is the function of a call."""
    outer = file.parents.get(node)
    return isinstance(outer, ast.Call) and outer.func is node


def holder_of(file: Parsed, node: ast.AST) -> DefinitionId:
    """Return the innermost function or class around a node, or the module, as a definition."""
    names = [at.name for at in file.around(node) if isinstance(at, Function | ast.ClassDef)]
    return DefinitionId(f"{file.path}::{'.'.join(reversed(names))}")


def stored_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that the nodes bind, those inside functions and classes left out."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        waiting.extend(ast.iter_child_nodes(node))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Example:
    """One case of a rule, run as a test.

    A module before and after; `dead` names what is deleted. A line that ends in `# live` is
    executed by tests that stay, one that ends in `# ours` by the feature's tests only.
    """

    dead: tuple[str, ...]
    before: str
    after: str | None  # None: blocked
    path: str = "m.py"
