"""Every place of one file that names a definition of the tree."""

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from featuredel.languages.python.layout import stem
from featuredel.languages.python.names import (
    Meaning,
    Names,
    Scope,
    annotation_in,
    targets,
)
from featuredel.model import DefinitionId, Reference

Kind = Literal["name", "import", "attribute", "string", "decorator", "annotation", "base"]
_DOTTED = re.compile(r"[A-Za-z_]\w*([.:][A-Za-z_]\w*)+")
_PREFIX = re.compile(r"[A-Za-z_]\w{2,}_$|_[A-Za-z]\w+_?$")
_CHECKS = frozenset({"isinstance", "issubclass"})
_BY_STRING = frozenset({"getattr", "hasattr", "setattr", "delattr", "methodcaller", "attrgetter"})


@dataclass(frozen=True, slots=True)
class Site:
    """An attribute or string whose meaning the rules do not tell."""

    holder: DefinitionId
    path: str
    line: int
    column: int
    name: str
    kind: Kind
    prefix: bool = False  # any name that begins so
    within: DefinitionId | None = None  # only of this class, module, or their kin


@dataclass(slots=True)
class Found:
    """What a walk of one file gives."""

    references: list[Reference] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    stored: set[str] = field(default_factory=set)  # attributes that the file assigns


class Walker:
    """Walks one file. `members` are the names that an attribute could mean."""

    def __init__(
        self,
        path: str,
        names: Names,
        scopes: Mapping[ast.AST, Scope],
        owners: Mapping[ast.AST, DefinitionId],
        members: frozenset[str],
    ) -> None:
        self.path = path
        self.names = names
        self.scopes = scopes
        self.owners = owners
        self.members = members
        self.found = Found()
        self.holder = DefinitionId(f"{path}::")
        self.kind: Kind = "name"
        self.check = False
        self._prefixes: list[tuple[ast.AST, str, DefinitionId]] = []
        self._by_name = False  # the function around looks attributes up by a computed name
        self._handlers: dict[type[ast.AST], Callable[[ast.AST, Scope], None]] = {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Constant: self._constant,
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.Lambda: self._lambda,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.Import: self._import,
            ast.ImportFrom: self._import,
            ast.Assign: self._assign,
            ast.AnnAssign: self._assign,
            ast.AugAssign: self._assign,
            ast.NamedExpr: self._walrus,
            ast.Expr: self._expression,
            ast.JoinedStr: self._joined,
            ast.BinOp: self._binary,
            ast.ExceptHandler: self._handler,
        }

    def walk(self, tree: ast.Module) -> Found:
        """Return every reference of the file, in the order of the text."""
        scope = self.scopes[tree]
        self._stub(tree, scope)
        self._each(tree.body, scope)
        return self.found

    # --- walking -----------------------------------------------------------------------------

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        handler = self._handlers.get(type(node))
        if handler is not None:
            handler(node, scope)
        else:
            self._children(node, scope)

    def _children(self, node: ast.AST, scope: Scope) -> None:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                self._visit(value, scope)
            elif isinstance(value, list):
                self._each(value, scope)

    def _each(self, nodes: Iterable[object], scope: Scope) -> None:
        for node in nodes:
            if isinstance(node, ast.AST):
                self._visit(node, scope)

    def _as(self, kind: Kind, node: ast.AST | None, scope: Scope) -> None:
        """Walk `node` with everything in it counted as `kind`."""
        if node is None:
            return
        held, self.kind = self.kind, kind
        self._visit(node, scope)
        self.kind = held

    # --- scopes ------------------------------------------------------------------------------

    def _function(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        inner = self.scopes[node]
        held = (self.holder, self._prefixes, self._by_name)
        self.holder, self._prefixes, self._by_name = self.owners[node], [], False
        for decorator in node.decorator_list:
            self._as("decorator", decorator, scope)
        self._signature(node.args, scope)
        self._as("annotation", node.returns, scope)
        self._each(node.body, inner)
        if self._by_name:
            for place, prefix, holder in self._prefixes:
                self._site(place, prefix, "string", holder, prefix=True, scope=inner)
        self.holder, self._prefixes, self._by_name = held

    def _signature(self, arguments: ast.arguments, scope: Scope) -> None:
        for argument in (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        ):
            if argument is not None:
                self._as("annotation", argument.annotation, scope)
        self._each((*arguments.defaults, *arguments.kw_defaults), scope)

    def _class(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.ClassDef)
        held, self.holder = self.holder, self.owners[node]
        for decorator in node.decorator_list:
            self._as("decorator", decorator, scope)
        for base in node.bases:
            self._as("base", base, scope)
        self._each(node.keywords, scope)
        self._each(node.body, self.scopes[node])
        self.holder = held

    def _lambda(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.Lambda)
        inner = Scope(scope.definition, "function", scope.stem, scope)
        a = node.args
        for argument in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg):
            if argument is not None:
                inner.bind(argument.arg, None)
        self._signature(a, scope)
        self._visit(node.body, inner)

    def _comprehension(self, node: ast.AST, scope: Scope) -> None:
        inner = Scope(scope.definition, "function", scope.stem, scope)
        for generator in node.generators:  # type: ignore[attr-defined]
            for part in ast.walk(generator.target):
                if isinstance(part, ast.Name):
                    inner.bind(part.id, None)
        # Class scope is visible to the first iterable only, but no one relies on the rest failing.
        self._children(node, inner if scope.kind != "class" else _opened(inner, scope))

    # --- expressions -------------------------------------------------------------------------

    def _name(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.Name)
        if isinstance(node.ctx, ast.Load | ast.Del):
            self._add(node, self.names.lookup(scope, node.id), self.kind)

    def _attribute(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.Attribute)
        self._visit(node.value, scope)
        if isinstance(node.ctx, ast.Store):
            self.found.stored.add(node.attr)
            return
        if node.attr not in self.members and not isinstance(node.value, ast.Name | ast.Attribute):
            return
        kind: Kind = "attribute" if self.kind == "name" else self.kind
        value = node.value
        if _is_super(value):
            self._add(node, self.names.super_attribute(scope, node.attr), kind)
            return
        meanings = self.names.meaning(scope, value)
        found = tuple(m for v in meanings for m in self.names.attribute(v, node.attr))
        if found:
            self._add(node, found, kind)
        elif node.attr in self.members and not _all_modules(meanings):
            self._site(node, node.attr, "attribute", self.holder)

    def _call(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.Call)
        function = node.func
        if getattr(function, "id", "") in _CHECKS and len(node.args) == 2:
            self._visit(node.args[0], scope)
            self._checked(node.args[1], scope)
            return
        self._children(node, scope)
        name = getattr(function, "id", None) or getattr(function, "attr", None)
        if name in _BY_STRING:
            self._string_lookup(node, str(name), scope)
        elif name == "format" and isinstance(function, ast.Attribute):
            self._prefix(function.value)

    def _checked(self, node: ast.AST | None, scope: Scope) -> None:
        if node is not None:
            held, self.check = self.check, True
            self._visit(node, scope)
            self.check = held

    def _handler(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.ExceptHandler)
        self._checked(node.type, scope)
        self._each(node.body, scope)

    def _string_lookup(self, node: ast.Call, function: str, scope: Scope) -> None:
        at = 1 if function.endswith("attr") and len(node.args) > 1 else 0
        if len(node.args) <= at:
            return
        key = node.args[at]
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            self._by_name = True
            return
        meanings = self.names.meaning(scope, node.args[0]) if at else ()
        found = tuple(m for v in meanings for m in self.names.attribute(v, key.value))
        if found:
            self._add(key, found, "string")
        elif key.value in self.members:
            self._site(key, key.value, "string", self.holder)

    def _constant(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.Constant)
        if not isinstance(node.value, str):
            return
        if self.kind == "annotation":
            inner = annotation_in(node)
            if inner is not None:
                for part in ast.walk(inner):
                    ast.copy_location(part, node)  # a string has one place
                self._visit(inner, scope)
        elif _DOTTED.fullmatch(node.value):
            self._add(node, self._dotted(node.value), "string")

    def _dotted(self, text: str) -> tuple[Meaning, ...]:
        """Return what a dotted path in a string (`pkg.mod.func`, `pkg.mod:func`) means."""
        parts = re.split(r"[.:]", text)
        for cut in range(len(parts), 0, -1):
            place = self.names.locate(".".join(parts[:cut]), 0, self.path)
            module = self.names.module(place) if place is not None else None
            if module is None:
                continue
            meanings: tuple[Meaning, ...] = (module,)
            for part in parts[cut:]:
                meanings = tuple(m for v in meanings for m in self.names.attribute(v, part))
            return meanings
        return ()

    def _joined(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.JoinedStr)
        if len(node.values) > 1 and isinstance(node.values[1], ast.FormattedValue):
            self._prefix(node.values[0])
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                self._visit(value, scope)

    def _binary(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.BinOp)
        if isinstance(node.op, ast.Add | ast.Mod):
            self._prefix(node.left)
        self._children(node, scope)

    def _prefix(self, node: ast.AST) -> None:
        """Remember the literal start of a name that is put together."""
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return
        text = re.split(r"%|\{", node.value, maxsplit=1)[0]
        if _PREFIX.fullmatch(text):
            self._prefixes.append((node, text, self.holder))

    def _walrus(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.NamedExpr)
        self._visit(node.value, scope)
        scope.bind(node.target.id, None)

    def _expression(self, node: ast.AST, scope: Scope) -> None:
        assert isinstance(node, ast.Expr)
        if not isinstance(node.value, ast.Constant):  # a docstring names nothing
            self._visit(node.value, scope)

    # --- statements --------------------------------------------------------------------------

    def _assign(self, node: ast.AST, scope: Scope) -> None:
        owner = self.owners.get(node)
        held, self.holder = self.holder, owner or self.holder
        if isinstance(node, ast.AnnAssign):
            self._visit(node.target, scope)
            self._as("annotation", node.annotation, scope)
            if node.value is not None:
                self._visit(node.value, scope)
        elif _is_exports(node) and scope.kind == "module":
            self._exports(node, scope)
        else:
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self._add(node.target, self.names.lookup(scope, node.target.id), "name")
            self._children(node, scope)
        self.holder = held

    def _exports(self, node: ast.AST, scope: Scope) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                self._add(part, self.names.exported(scope.stem, part.value), "string")
            elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                self._add(part, self.names.lookup(scope, part.id), "name")

    def _import(self, node: ast.AST, _scope: Scope) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self._add(alias, self._modules(alias.name, 0), "import")
            return
        assert isinstance(node, ast.ImportFrom)
        self._add(node, self._modules(node.module or "", node.level), "import")
        place = self.names.locate(node.module or "", node.level, self.path)
        if place is None:
            return
        for alias in node.names:
            if alias.name != "*":
                self._add(alias, self.names.exported(place, alias.name), "import")

    def _modules(self, dotted: str, level: int) -> tuple[DefinitionId, ...]:
        """Return the module that an import names, and the packages on the way to it."""
        parts = dotted.split(".")
        found: dict[DefinitionId, None] = {}
        for end in range(len(parts), 0, -1):
            place = self.names.locate(".".join(parts[:end]), level, self.path)
            module = self.names.module(place) if place is not None else None
            if module is not None:
                found[module] = None
        return tuple(found)

    # --- results -----------------------------------------------------------------------------

    def _add(self, node: ast.AST, meanings: Iterable[Meaning], kind: Kind) -> None:
        for target in targets(meanings):
            self.found.references.append(
                Reference(
                    self.holder,
                    self.path,
                    node.lineno,  # type: ignore[attr-defined]
                    node.col_offset,  # type: ignore[attr-defined]
                    target,
                    kind,
                    strong=True,
                    check=self.check,
                )
            )

    def _site(
        self,
        node: ast.AST,
        name: str,
        kind: Kind,
        holder: DefinitionId,
        prefix: bool = False,
        scope: Scope | None = None,
    ) -> None:
        line, column = node.lineno, node.col_offset  # type: ignore[attr-defined]
        within = _class_around(scope) if scope is not None else None
        self.found.sites.append(Site(holder, self.path, line, column, name, kind, prefix, within))

    def _stub(self, tree: ast.Module, scope: Scope) -> None:
        """Let a `.pyi` name what it declares: the definition of the same name in the `.py`."""
        if not self.path.endswith(".pyi"):
            return
        for node in ast.walk(tree):
            owner = self.owners.get(node)
            if owner is None:
                continue
            self.holder = owner
            meanings: tuple[Meaning, ...] = targets(
                (self.names.module(stem(self.path)) or self.holder,)
            )
            for part in owner.split("::", 1)[1].split("."):
                meanings = tuple(m for v in meanings for m in self.names.attribute(v, part))
            self._add(node, (m for m in meanings if m != owner), "name")
        self.holder = scope.definition


def _opened(inner: Scope, around: Scope) -> Scope:
    """Let a comprehension in a class body see the names of that body."""
    for name, bindings in around.bindings.items():
        inner.bindings.setdefault(name, bindings)
    return inner


def _class_around(scope: Scope) -> DefinitionId | None:
    at: Scope | None = scope
    while at is not None:
        if at.kind == "class":
            return at.definition
        at = at.parent
    return None


def _all_modules(meanings: tuple[Meaning, ...]) -> bool:
    """Return whether all are modules: what lacks a name there cannot mean it."""
    return bool(meanings) and all(isinstance(m, str) and m.endswith("::") for m in meanings)


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "super"


def _is_exports(node: ast.AST) -> bool:
    goals = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return len(goals) == 1 and getattr(goals[0], "id", "") == "__all__"
