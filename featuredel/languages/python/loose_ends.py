"""Whether what is cut from a file may leave an import unused or a name undefined.

A linter reads the whole file to find out. Mostly a glance at the names will do: a test that goes
takes no binding with it that others read, and what it read is read elsewhere, too.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from featuredel.languages.python.parsed import Function, Parsed
from featuredel.languages.python.sites import stored_names

_WORD = re.compile(r"\w+")
_UNCLEAR = (ast.Global, ast.Nonlocal, ast.Match, ast.NamedExpr)
"""What binds names in ways that are not looked into here."""
_TYPE_PARAMETERS = frozenset({"TypeVar", "ParamSpec", "TypeVarTuple"})


class Bindings:
    """The names that a file binds and reads, wherever that is."""

    def __init__(self, file: Parsed) -> None:
        self.file = file
        self.reads: dict[str, list[ast.Name]] = defaultdict(list)
        self.count: Counter[str] = Counter()  # how often each is bound, parameters included
        self.imports: dict[str, ast.alias] = {}  # the last one that binds a name
        self.unclear = False
        for node in file.parents:
            self._add(node)

    def _add(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self.reads[node.id].append(node)
            else:
                self.count[node.id] += 1
        elif isinstance(node, ast.arg):
            self.count[node.arg] += 1
        elif isinstance(node, ast.alias):
            name = node.asname or node.name.partition(".")[0]
            self.count[name] += 1
            self.imports[name] = node
            self.unclear |= name == "*"
        elif isinstance(node, Function | ast.ClassDef) or type(node).__name__ in _TYPE_PARAMETERS:
            self.count[node.name] += 1  # type: ignore[attr-defined]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.count[node.name] += 1
        elif isinstance(node, _UNCLEAR):
            self.unclear = True

    def is_module_level(self, alias: ast.alias) -> bool:
        """Tell whether an import stands in no function and no class."""
        around = self.file.around(alias)
        return not any(isinstance(at, Function | ast.ClassDef) for at in around)


@dataclass(slots=True)
class LooseEnds:
    """Looks at the cuts of one deletion; what it has read of them it keeps."""

    _read: dict[ast.AST, frozenset[str]] = field(default_factory=dict)

    def possible(self, file: Parsed, gone: set[ast.AST]) -> bool:
        """Tell whether `gone` may leave an import unused or a name undefined; in doubt, it may."""
        bindings = file.once(Bindings)
        if bindings.unclear or any(file.function(node) is not None for node in gone):
            return True
        if any(isinstance(file.parents.get(node), ast.Dict) for node in gone):
            return True  # the value has gone with its key
        bound = stored_names(gone)
        if any(_is_read(bindings, name, gone) for name in bound):
            return True
        lost = {name for node in gone for name in self._names(node)} | bound
        return any(not _is_sure(bindings, name, gone) for name in lost if name in bindings.imports)

    def _names(self, node: ast.AST) -> frozenset[str]:
        """Return the names that a node reads, or may read where it has them in a string."""
        if node not in self._read:
            self._read[node] = frozenset(_named(node))
        return self._read[node]


def _named(node: ast.AST) -> Iterable[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Name):
            yield child.id
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield from _WORD.findall(child.value)


def _is_gone(file: Parsed, node: ast.AST, gone: set[ast.AST]) -> bool:
    return any(at in gone for at in file.around(node))


def _is_read(bindings: Bindings, name: str, gone: set[ast.AST], below: int = 0) -> bool:
    """Tell whether a name is still read, on a line after `below`."""
    reads = (node for node in bindings.reads.get(name, ()) if node.lineno > below)
    return any(not _is_gone(bindings.file, node, gone) for node in reads)


def _is_sure(bindings: Bindings, name: str, gone: set[ast.AST]) -> bool:
    """Tell whether an import that lost a use has gone itself, or has another one for certain."""
    alias = bindings.imports[name]
    if bindings.count[name] > 1:
        return False
    if _is_gone(bindings.file, alias, gone):
        return True
    return bindings.is_module_level(alias) and _is_read(bindings, name, gone, alias.lineno)
