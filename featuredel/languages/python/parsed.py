"""The files of a tree as the planner sees them: parsed once, every node with its parent."""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from featuredel.languages.python.cuts import Cut, Place
from featuredel.languages.python.lint import Fault, new_faults, tree_faults
from featuredel.languages.python.prune import prune
from featuredel.languages.python.source import Source, read_source
from featuredel.languages.python.unchanging import Unchanging
from featuredel.model import Definition, Reference

Function = ast.FunctionDef | ast.AsyncFunctionDef
_MANY = 3
"""Fewer strings than this are not taken for a list of names."""

_DEFINING = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
)


class Parsed(Unchanging):
    """One file. Nodes are told apart by identity; nothing here is ever changed."""

    def __init__(self, source: Source, data: bytes) -> None:
        super().__init__()
        self.path = source.path
        self.tree = source.tree
        self.source = source
        self.data = data
        self._linted: tuple[frozenset[Cut], tuple[Fault, ...]] | None = None  # the last cuts

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node around each node."""
        found: dict[ast.AST, ast.AST] = {}
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            for child in ast.iter_child_nodes(node):
                found[child] = node
                waiting.append(child)
        return found

    @cached_property
    def places(self) -> dict[Place, list[ast.AST]]:
        """The nodes that begin at each place, in no particular order."""
        found: dict[Place, list[ast.AST]] = {}
        for node in self.parents:
            line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
            if line:
                found.setdefault((line, column), []).append(node)
        return found

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """What the linter holds against the file as it is."""
        return tree_faults(self.path, self.tree)

    def without(self, cuts: Collection[Cut]) -> ast.Module:
        """Return the tree as it would be without `cuts`; the nodes keep their places."""
        return prune(self.tree, cuts)

    def new_faults(self, cuts: Collection[Cut]) -> tuple[Fault, ...]:
        """Return what the linter would hold against the file without `cuts`, and does not now."""
        cuts = frozenset(cuts)
        if self._linted is None or self._linted[0] != cuts:
            faults = new_faults(self.faults, tree_faults(self.path, self.without(cuts)))
            self._linted = (cuts, faults)
        return self._linted[1]

    @cached_property
    def defining(self) -> dict[tuple[int, int], list[ast.stmt]]:
        """The statements that may define something, by their first and last line."""
        found: dict[tuple[int, int], list[ast.stmt]] = {}
        for node in self.parents:
            if isinstance(node, _DEFINING):
                found.setdefault(lines_of(node), []).append(node)
        return found

    @cached_property
    def listed(self) -> dict[str, list[ast.Constant]]:
        """The strings of module-level lists that tell, like `__all__`, what the module holds."""
        bound = {name for node in self.tree.body for name in _bound(node)}
        if self.path.endswith("__init__.py"):
            bound.update(_submodules(self.tree))
        found: dict[str, list[ast.Constant]] = {}
        for node in self.tree.body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if not isinstance(value, ast.List | ast.Tuple | ast.Set) or len(value.elts) < _MANY:
                continue
            texts = [e for e in value.elts if isinstance(e, ast.Constant)]
            names = [e for e in texts if isinstance(e.value, str) and e.value in bound]
            if len(texts) == len(value.elts) and len(names) * 2 > len(texts):
                for text in names:
                    found.setdefault(str(text.value), []).append(text)
        return found

    @cached_property
    def strings(self) -> dict[str, list[ast.Constant]]:
        """The string constants of the file, by their text."""
        found: dict[str, list[ast.Constant]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.setdefault(node.value, []).append(node)
        return found

    @cached_property
    def attributes(self) -> dict[str, list[ast.Attribute]]:
        """The places that read an attribute, by its name."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.setdefault(node.attr, []).append(node)
        return found

    def statements_of(self, definition: Definition) -> Iterator[ast.stmt]:
        """Yield the statements that bind a definition of this file."""
        name = definition.qualname.rsplit(".", 1)[-1]
        for span in definition.spans:
            for node in self.defining.get(span, ()):
                if name in _names(node):
                    yield node

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield `node` and what lies around it, up to the module."""
        at: ast.AST | None = node
        while at is not None:
            yield at
            at = self.parents.get(at)

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that holds `node`."""
        return next(at for at in self.around(node) if isinstance(at, ast.stmt))

    def function(self, node: ast.AST) -> Function | None:
        """Return the innermost function whose body (not its header) holds `node`."""
        below: ast.AST | None = None
        for at in self.around(node):
            if isinstance(at, Function) and below is not None and below in at.body:
                return at
            below = at
        return None

    def block(self, node: ast.stmt) -> list[ast.stmt]:
        """Return the list of statements in which `node` stands."""
        for block in blocks(self.parents[node]):
            if node in block:
                return block
        return [node]

    def text(self, node: ast.AST) -> str:
        """Return the source of a node."""
        return ast.get_source_segment(self._code, node) or ""

    @cached_property
    def _code(self) -> str:
        return self.data.decode("utf-8", errors="replace")

    def code_lines(self, node: ast.AST) -> int:
        """Return how many code lines a node covers."""
        return self.source.code_lines(*lines_of(node))

    def find(self, reference: Reference) -> ast.AST | None:
        """Return the node that a reference speaks of."""
        nodes = self.places.get((reference.line, reference.column), ())
        wanted = _last_name(reference)
        if reference.kind == "import":
            return _first(nodes, ast.alias) or _first(nodes, ast.Import | ast.ImportFrom)
        if reference.kind == "string":
            return _first(nodes, ast.Constant) or _first(nodes, ast.Name)
        exact = [n for n in nodes if isinstance(n, ast.Attribute) and n.attr == wanted]
        if exact:
            return min(exact, key=lambda n: n.end_col_offset or 0)
        if self.path.endswith(".pyi"):
            declared = _first(nodes, _DEFINING)
            if declared is not None and wanted in _names(declared):
                return declared
        found = _first(nodes, ast.Name) or _first(nodes, ast.Attribute)
        return found or _first(nodes, ast.Constant)


@dataclass(slots=True)
class Sources:
    """The files of a tree, each read and parsed when it is first asked for."""

    root: Path
    held: dict[str, Parsed | None] = field(default_factory=dict)

    def file(self, path: str) -> Parsed | None:
        """Return the file, or None if it is not Python that parses."""
        if path not in self.held:
            source = read_source(self.root, path)
            data = (self.root / path).read_bytes() if source is not None else b""
            self.held[path] = Parsed(source, data) if source is not None else None
        return self.held[path]


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements of a compound statement, clause or module."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield block


def first_line(node: ast.AST) -> int:
    """Return the line on which a node begins, its decorators included."""
    decorators = getattr(node, "decorator_list", None) or ()
    own: int = getattr(node, "lineno", 1)
    lines: list[int] = [own, *(d.lineno for d in decorators)]
    return min(lines)


def lines_of(node: ast.AST) -> tuple[int, int]:
    """Return the first and last line of a node."""
    return (first_line(node), node.end_lineno)  # type: ignore[attr-defined]


def header_lines(node: ast.stmt) -> tuple[int, int]:
    """Return the lines of a compound statement before its first block, or all of a simple one."""
    first, last = lines_of(node)
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        return (first, max(first, first_line(body[0]) - 1))
    if isinstance(node, ast.Match):
        return (first, max(first, node.cases[0].pattern.lineno - 1))
    return (first, last)


def _submodules(tree: ast.Module) -> Iterator[str]:
    """Yield the modules of a package that its `__init__.py` imports, and so binds."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            yield node.module.split(".")[0]


def _bound(node: ast.stmt) -> tuple[str, ...]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple((alias.asname or alias.name).split(".")[0] for alias in node.names)
    return _names(node)


def _names(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, Function | ast.ClassDef):
        return (node.name,)
    goals = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return tuple(goal.id for goal in goals if isinstance(goal, ast.Name))


def _last_name(reference: Reference) -> str:
    path, _, qualname = reference.target.partition("::")
    if qualname:
        return qualname.rsplit(".", 1)[-1]
    stem = path.rsplit(".", 1)[0].removesuffix("/__init__")
    return stem.rsplit("/", 1)[-1]


def _first(nodes: object, kind: object) -> ast.AST | None:
    return next((n for n in nodes if isinstance(n, kind)), None)  # type: ignore[attr-defined, arg-type]
