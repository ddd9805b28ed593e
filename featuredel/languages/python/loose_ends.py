"""Whether what is cut from a file may leave an import unused or a name undefined.

A linter reads the whole file to find out. Mostly a glance at the names will do: a test that goes
takes no binding with it that others read, and what it read is read elsewhere, too.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from featuredel.languages.python.parsed import Function, Parsed
from featuredel.languages.python.sites import stored_names

_WORD = re.compile(r"\w+")
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_TYPE_PARAMETERS = frozenset({"TypeVar", "ParamSpec", "TypeVarTuple"})


class Bindings:
    """The names that a file binds and reads, wherever that is."""

    def __init__(self, file: Parsed) -> None:
        self.file = file
        self.reads: dict[str, list[ast.Name]] = defaultdict(list)
        self.bound: dict[str, list[ast.AST]] = defaultdict(list)  # parameters included
        self.imports: dict[str, ast.alias] = {}  # the last one that binds a name
        self.unclear: set[str] = set()  # bound in ways that are not looked into here
        for node in file.parents:
            self._add(node)

    def _add(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self.reads[node.id].append(node)
            else:
                self.bound[node.id].append(node)
        elif isinstance(node, ast.arg):
            self.bound[node.arg].append(node)
        elif isinstance(node, ast.alias):
            name = node.asname or node.name.partition(".")[0]
            self.bound[name].append(node)
            self.imports[name] = node
        elif isinstance(node, Function | ast.ClassDef) or type(node).__name__ in _TYPE_PARAMETERS:
            self.bound[node.name].append(node)  # type: ignore[attr-defined]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.bound[node.name].append(node)
        else:
            self.unclear.update(_oddly_bound(node))

    def is_outermost(self, node: ast.AST) -> bool:
        """Tell whether a node binds or reads in the scope of the module."""
        below = node
        for at in self.file.around(self.file.parents[node]):
            inside = isinstance(at, _SCOPES)
            if isinstance(at, ast.ClassDef):
                inside = below in at.body
            elif isinstance(at, Function):
                inside = below not in at.decorator_list
            if inside:
                return False
            below = at
        return True


@dataclass(slots=True)
class LooseEnds:
    """Looks at the cuts of one deletion; what it has read of them it keeps."""

    _read: dict[ast.AST, frozenset[str]] = field(default_factory=dict)

    def possible(self, file: Parsed, gone: set[ast.AST]) -> bool:
        """Tell whether `gone` may leave an import unused or a name undefined; in doubt, it may."""
        bindings = file.once(Bindings)
        if "*" in bindings.imports or any(file.function(node) is not None for node in gone):
            return True
        if any(isinstance(file.parents.get(node), ast.Dict) for node in gone):
            return True  # the value has gone with its key
        bound = stored_names(gone)
        if any(_is_read(bindings, name, gone) for name in bound):
            return True
        lost = {name for node in gone for name in self._names(node)} | bound
        if not bindings.unclear.isdisjoint(lost):
            return True
        return any(not _is_sure(bindings, name, gone) for name in lost if name in bindings.imports)

    def _names(self, node: ast.AST) -> frozenset[str]:
        """Return the names that a node reads, binds in odd ways, or has in a string."""
        if node not in self._read:
            self._read[node] = frozenset(_named(node))
        return self._read[node]


def _oddly_bound(node: ast.AST) -> Iterable[str]:
    """Yield what a node binds in another scope than its own, or as part of a pattern."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.NamedExpr):
        yield node.target.id
    elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def _named(node: ast.AST) -> Iterable[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Name):
            yield child.id
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield from _WORD.findall(child.value)
        else:
            yield from _oddly_bound(child)


def _is_gone(file: Parsed, node: ast.AST, gone: set[ast.AST]) -> bool:
    return any(at in gone for at in file.around(node))


def _is_read(bindings: Bindings, name: str, gone: set[ast.AST]) -> bool:
    reads = bindings.reads.get(name, ())
    return any(not _is_gone(bindings.file, node, gone) for node in reads)


def _is_sure(bindings: Bindings, name: str, gone: set[ast.AST]) -> bool:
    """Tell whether an import that lost a use has gone itself, or has another one for certain.

    A use for certain comes later and means nothing else: no other scope binds the name, or the
    use is in that of the module.
    """
    file, alias = bindings.file, bindings.imports[name]
    bound = bindings.bound[name]
    if len(bound) == 1 and _is_gone(file, alias, gone):
        return True
    # an import inside a function or class may have lost a use as well
    if [node for node in bound if isinstance(node, ast.alias) or bindings.is_outermost(node)] != [
        alias
    ]:
        return False
    later = (node for node in bindings.reads.get(name, ()) if node.lineno > alias.lineno)
    return any(
        not _is_gone(file, node, gone)
        for node in later
        if len(bound) == 1 or bindings.is_outermost(node)
    )
