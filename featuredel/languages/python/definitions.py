"""The definitions of one file, and the scopes that they make. Walks statements only."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from featuredel.languages.python.layout import stem
from featuredel.languages.python.names import Class, Import, Instance, Names, Scope, Value
from featuredel.languages.python.source import Source, docstring
from featuredel.model import Definition, DefinitionId, DefinitionKind

Function = ast.FunctionDef | ast.AsyncFunctionDef
_ABSTRACT = frozenset({"abstractmethod", "abstractproperty", "abstractclassmethod"})


@dataclass(slots=True)
class _Draft:
    """A definition while its file is read."""

    id: DefinitionId
    qualname: str
    kind: DefinitionKind
    parent: DefinitionId | None
    documented: bool = False
    abstract: bool = False
    spans: list[tuple[int, int]] = field(default_factory=list)
    bodies: list[tuple[int, int]] = field(default_factory=list)


class FileReader:
    """Reads one file into `names`. `scopes` maps the node of every scope to it."""

    def __init__(self, source: Source, names: Names) -> None:
        self.path = source.path
        self.names = names
        self.source = source
        self.scopes: dict[ast.AST, Scope] = {}
        self.owners: dict[ast.AST, DefinitionId] = {}  # node of a definition -> its id
        self.exports: set[str] = set()
        self.has_exports = False
        self._drafts: dict[DefinitionId, _Draft] = {}

    def read(self) -> list[Definition]:
        """Bind every name of the file and return its definitions."""
        tree = self.source.tree
        module = DefinitionId(f"{self.path}::")
        scope = Scope(module, "module", stem(self.path), None)
        if self.names.paths.get(scope.stem) == self.path:
            self.names.modules[scope.stem] = scope
        self.scopes[tree] = scope
        draft = self._draft(module, "", "module", None)
        draft.spans.append((1, max(self.source.length, 1)))
        draft.documented = docstring(tree) is not None
        self._block(tree.body, scope)
        if self.has_exports:
            self.names.exports.setdefault(scope.stem, frozenset(self.exports))
        return [self._finished(d) for d in self._drafts.values()]

    # --- statements ------------------------------------------------------------------------

    def _block(self, body: Iterable[ast.stmt], scope: Scope) -> None:
        for node in body:
            self._statement(node, scope)

    def _statement(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            scope.outer.update(node.names)
            if isinstance(node, ast.Global):
                for name in node.names:
                    scope.module.bind(name, None)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            self._assignment(node, scope)
        elif isinstance(node, ast.Expr):
            self._extend_exports(node.value, scope)
        else:
            self._compound(node, scope)

    def _compound(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.For | ast.AsyncFor):
            self._opaque(node.target, scope)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    self._opaque(item.optional_vars, scope)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            scope.bind(node.name, None)
        elif isinstance(node, ast.match_case):
            for part in ast.walk(node.pattern):
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    scope.bind(name, None)
        for block in ("body", "handlers", "orelse", "finalbody", "cases"):
            self._block(getattr(node, block, None) or (), scope)

    def _opaque(self, target: ast.AST, scope: Scope) -> None:
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                scope.bind(part.id, None)

    # --- bindings --------------------------------------------------------------------------

    def _function(self, node: Function, scope: Scope) -> None:
        kind: DefinitionKind = "method" if scope.kind == "class" else "function"
        draft = self._define(node, node.name, kind, scope)
        first = _first_line(node)
        draft.spans.append((first, node.end_lineno or first))
        doc = docstring(node)
        draft.documented |= doc is not None
        rest = node.body[1:] if doc is not None else node.body
        if rest:
            draft.bodies.append((_first_line(rest[0]), node.end_lineno or first))
        draft.abstract |= _is_abstract(node, rest)
        inner = Scope(draft.id, "function", scope.stem, scope)
        self.scopes[node] = inner
        self._parameters(node, scope, inner)
        self._block(node.body, inner)

    def _parameters(self, node: Function, scope: Scope, inner: Scope) -> None:
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        for argument in (*positional, *arguments.kwonlyargs):
            known = Value(argument.annotation, annotation=True) if argument.annotation else None
            inner.bind(argument.arg, known)
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                inner.bind(extra.arg, None)
        static = any(getattr(d, "id", "") == "staticmethod" for d in node.decorator_list)
        if scope.kind == "class" and positional and not static:
            inner.bindings[positional[0].arg] = [Instance(scope.definition)]

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        draft = self._define(node, node.name, "class", scope)
        first = _first_line(node)
        draft.spans.append((first, node.end_lineno or first))
        draft.documented |= docstring(node) is not None
        known = self.names.classes.get(draft.id)
        inner = Scope(draft.id, "class", scope.stem, scope) if known is None else known.scope
        if known is None:
            self.names.classes[draft.id] = Class(draft.id, inner, list(node.bases), scope)
        else:
            known.bases.extend(node.bases)
        self.scopes[node] = inner
        self._block(node.body, inner)

    def _assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, scope: Scope) -> None:
        goals = node.targets if isinstance(node, ast.Assign) else [node.target]
        single = goals[0] if len(goals) == 1 else None
        if isinstance(single, ast.Name) and single.id == "__all__" and scope.kind == "module":
            self._exports(node.value)
            scope.bind("__all__", None)
        elif isinstance(node, ast.AugAssign):
            if isinstance(single, ast.Name) and scope.kind == "function":
                scope.bind(single.id, None)
        elif isinstance(single, ast.Name) and single.id not in scope.outer:
            self._single(node, single, scope)
        else:
            for goal in goals:
                self._opaque_stores(goal, scope)

    def _single(self, node: ast.Assign | ast.AnnAssign, goal: ast.Name, scope: Scope) -> None:
        if scope.kind == "function":
            annotation = getattr(node, "annotation", None)
            known = Value(annotation, True) if annotation is not None else None
            if known is None and isinstance(node.value, ast.Call):
                known = Value(node.value)
            scope.bind(goal.id, known)
            return
        held = scope.bindings.get(goal.id, [])
        if any(isinstance(b, Import | str) and not self._is_constant(b) for b in held):
            return  # `try: import x` / `except ImportError: x = None` stays an import
        draft = self._define(node, goal.id, "constant", scope)
        draft.spans.append((node.lineno, node.end_lineno or node.lineno))
        if node.value is not None:
            self.names.constants.setdefault(draft.id, (scope, node.value))

    def _is_constant(self, binding: object) -> bool:
        draft = self._drafts.get(DefinitionId(str(binding)))
        return draft is not None and draft.kind == "constant"

    def _opaque_stores(self, goal: ast.AST, scope: Scope) -> None:
        for part in ast.walk(goal):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                scope.bind(part.id, None)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                dotted = alias.name if alias.asname else alias.name.split(".")[0]
                place = self.names.locate(dotted, 0, self.path)
                bound = Import(place, None) if place is not None else None
                scope.bind(alias.asname or dotted, bound)
            return
        place = self.names.locate(node.module or "", node.level, self.path)
        for alias in node.names:
            if alias.name == "*":
                if place is not None:
                    scope.stars.append(place)
                continue
            bound = Import(place, alias.name) if place is not None else None
            scope.bind(alias.asname or alias.name, bound)

    # --- __all__ ---------------------------------------------------------------------------

    def _exports(self, value: ast.expr | None) -> None:
        self.has_exports = True
        for part in ast.walk(value) if value is not None else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                self.exports.add(part.value)

    def _extend_exports(self, value: ast.expr, scope: Scope) -> None:
        if (
            scope.kind == "module"
            and isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and getattr(value.func.value, "id", "") == "__all__"
        ):
            self._exports(value)

    # --- definitions -----------------------------------------------------------------------

    def _define(self, node: ast.AST, name: str, kind: DefinitionKind, scope: Scope) -> _Draft:
        outer = self._drafts[scope.definition]
        qualname = f"{outer.qualname}.{name}" if outer.qualname else name
        definition = DefinitionId(f"{self.path}::{qualname}")
        scope.bind(name, definition)
        self.owners[node] = definition
        return self._draft(definition, qualname, kind, scope.definition)

    def _draft(
        self,
        definition: DefinitionId,
        qualname: str,
        kind: DefinitionKind,
        parent: DefinitionId | None,
    ) -> _Draft:
        if definition not in self._drafts:
            self._drafts[definition] = _Draft(definition, qualname, kind, parent)
        return self._drafts[definition]

    def _finished(self, draft: _Draft) -> Definition:
        longest = max(draft.spans, key=lambda span: (span[1] - span[0], -span[0]))
        return Definition(
            id=draft.id,
            path=self.path,
            qualname=draft.qualname,
            kind=draft.kind,
            parent=draft.parent,
            first_line=longest[0],
            last_line=longest[1],
            code_lines=sum(self.source.code_lines(*span) for span in draft.spans),
            public=self._public(draft),
            documented=draft.documented,
            spans=tuple(sorted(draft.spans)),
            bodies=tuple(sorted(draft.bodies)),
            abstract=draft.abstract,
        )

    def _public(self, draft: _Draft) -> bool:
        """`public` as far as the file itself tells; `index` adds what packages re-export."""
        names = draft.qualname.split(".") if draft.qualname else []
        if any(_private(name) for name in names[1:]):
            return False
        if any(self._drafts[p].kind in ("function", "method") for p in self._around(draft)):
            return False
        top = names[0] if names else ""
        if top and self.has_exports:
            return top in self.exports
        folders = stem(self.path).split("/")
        return not _private(top) and not any(_private(part) for part in folders)

    def _around(self, draft: _Draft) -> Iterator[DefinitionId]:
        at = draft.parent
        while at is not None:
            yield at
            at = self._drafts[at].parent


def _private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def _is_abstract(node: Function, rest: list[ast.stmt]) -> bool:
    for decorator in node.decorator_list:
        if (getattr(decorator, "attr", None) or getattr(decorator, "id", "")) in _ABSTRACT:
            return True
    if len(rest) != 1 or not isinstance(rest[0], ast.Raise):
        return False
    raised = rest[0].exc
    raised = raised.func if isinstance(raised, ast.Call) else raised
    return getattr(raised, "id", "") == "NotImplementedError"
