"""What names mean: modules, scopes and their bindings, re-exports, classes and their order.

Everything is static and by the language's scoping rules. What cannot be known that way (a name
bound by a loop, an attribute of a foreign object) resolves to nothing; nothing is guessed.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from featuredel.languages.python.layout import stem
from featuredel.model import DefinitionId


@dataclass(frozen=True, slots=True)
class Import:
    """A name bound by an import: the module at `stem`, or `name` in it."""

    stem: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the tree."""

    of: DefinitionId


@dataclass(frozen=True, slots=True)
class Value:
    """A name bound to what `node` gives (or, as an annotation, to an object of that class)."""

    node: ast.expr
    annotation: bool = False


Meaning = DefinitionId | Instance
"""What an expression stands for: a definition itself, or an object of a class."""

Binding = DefinitionId | Instance | Import | Value | None
"""What binds a name. None: something, but nobody knows what."""


@dataclass(slots=True)
class Scope:
    """The names bound in a module, class or function, and where it lies."""

    definition: DefinitionId
    kind: str  # module, class or function
    stem: str
    parent: "Scope | None"
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)  # stems whose names `from x import *` brought
    outer: set[str] = field(default_factory=set)  # declared global or nonlocal

    def bind(self, name: str, binding: Binding) -> None:
        """Add what `name` may be bound to."""
        held = self.bindings.setdefault(name, [])
        if binding not in held:
            held.append(binding)

    @property
    def module(self) -> "Scope":
        """Return the scope of the module around."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(slots=True)
class Class:
    """A class of the tree and the scope in which its bases are named."""

    definition: DefinitionId
    scope: Scope
    bases: list[ast.expr]
    around: Scope


class Names:
    """The names of a whole tree. Filled once by `index`, then only asked: answers are kept."""

    def __init__(self, paths: Iterable[str], roots: tuple[str, ...]) -> None:
        self.roots = roots
        self.paths: dict[str, str] = {}  # stem -> file
        for path in sorted(paths, key=lambda p: (p.endswith(".pyi"), p)):
            self.paths.setdefault(stem(path), path)
        self.folders = {"", *(folder for s in self.paths for folder in _above(s))}
        self.modules: dict[str, Scope] = {}  # by stem; the .py where there is a .pyi as well
        self.exports: dict[str, frozenset[str]] = {}  # stem -> what its __all__ lists
        self.classes: dict[DefinitionId, Class] = {}
        self.constants: dict[DefinitionId, tuple[Scope, ast.expr]] = {}
        self._answers: dict[tuple[str, str], tuple[Meaning, ...]] = {}
        self._mro: dict[DefinitionId, tuple[DefinitionId, ...]] = {}

    # --- modules -----------------------------------------------------------------------------

    def locate(self, dotted: str, level: int, path: str) -> str | None:
        """Return the stem that an import of `dotted` with `level` dots in `path` means."""
        tail = dotted.replace(".", "/")
        if level:
            folder = path.rsplit("/", 1)[0] if "/" in path else ""
            for _ in range(level - 1):
                folder = folder.rsplit("/", 1)[0] if "/" in folder else ""
            return self._known(_join(folder, tail))
        own = path.rsplit("/", 1)[0] if "/" in path else ""
        first = (own,) if own in self.roots else ()
        for root in (*first, *self.roots):
            known = self._known(_join(root, tail))
            if known is not None:
                return known
        return None

    def _known(self, name: str) -> str | None:
        return name if name in self.paths or name in self.folders else None

    def module(self, name: str) -> DefinitionId | None:
        """Return the module at a stem; None for a folder without `__init__.py`."""
        path = self.paths.get(name)
        return None if path is None else DefinitionId(f"{path}::")

    # --- names -------------------------------------------------------------------------------

    def lookup(self, scope: Scope, name: str) -> tuple[Meaning, ...]:
        """Return what `name` may mean when read in `scope`."""
        at: Scope | None = scope
        while at is not None:
            seen = at is scope or at.kind != "class"
            if seen and name not in at.outer and name in at.bindings:
                return self._meanings(at, at.bindings[name], frozenset())
            if at.parent is None:
                return self.exported(at.stem, name, frozenset()) if at.stars else ()
            at = at.parent
        return ()

    def exported(
        self, name: str, attribute: str, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> tuple[Meaning, ...]:
        """Return what `attribute` of the module at stem `name` means, followed to its origin."""
        if seen:  # inside of a walk the answer may be cut short, so it is not kept
            return self._exported(name, attribute, seen)
        key = (name, attribute)
        if key not in self._answers:
            self._answers[key] = self._exported(name, attribute, seen)
        return self._answers[key]

    def _exported(
        self, name: str, attribute: str, seen: frozenset[tuple[str, str]]
    ) -> tuple[Meaning, ...]:
        if (name, attribute) in seen:
            return ()
        seen |= {(name, attribute)}
        module = self.modules.get(name)
        if module is not None and attribute in module.bindings:
            found = self._meanings(module, module.bindings[attribute], seen)
            if found:
                return found
        inner = self.module(_join(name, attribute))
        if inner is not None:
            return (inner,)
        for star in module.stars if module is not None else ():
            listed = self.exports.get(star)
            if attribute in listed if listed is not None else not attribute.startswith("_"):
                found = self.exported(star, attribute, seen)
                if found:
                    return found
        return ()

    def _meanings(
        self, scope: Scope, bindings: Iterable[Binding], seen: frozenset[tuple[str, str]]
    ) -> tuple[Meaning, ...]:
        found: dict[Meaning, None] = {}
        for binding in bindings:
            if isinstance(binding, Import):
                for meaning in self._imported(binding, seen):
                    found[meaning] = None
            elif isinstance(binding, Value):
                for meaning in self._value(scope, binding, seen):
                    found[meaning] = None
            elif binding is not None:
                found[binding] = None
        return tuple(found)

    def _imported(self, binding: Import, seen: frozenset[tuple[str, str]]) -> tuple[Meaning, ...]:
        if binding.name is not None:
            return self.exported(binding.stem, binding.name, seen)
        module = self.module(binding.stem)
        return () if module is None else (module,)

    def _value(
        self, scope: Scope, value: Value, seen: frozenset[tuple[str, str]]
    ) -> tuple[Meaning, ...]:
        key = (scope.definition, f"{value.node.lineno}:{value.node.col_offset}")
        if key in seen or len(seen) > 20:
            return ()
        # A local may be built from itself (x = x.copy()); one level is all that pays.
        if value.annotation:
            return tuple(Instance(c) for c in self.annotated(scope, value.node))
        return tuple(m for m in self._built(scope, value.node) if isinstance(m, Instance))

    def _built(self, scope: Scope, node: ast.expr) -> Iterator[Meaning]:
        if not isinstance(node, ast.Call):
            return
        for meaning in self._callee(scope, node.func):
            if isinstance(meaning, str) and meaning in self.classes:
                yield Instance(meaning)

    def _callee(self, scope: Scope, node: ast.expr) -> tuple[Meaning, ...]:
        """Return what a called name or `module.name` means, without looking at local values."""
        if isinstance(node, ast.Name):
            return self._plain(scope, node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found: list[Meaning] = []
            for meaning in self._plain(scope, node.value.id):
                found.extend(self.attribute(meaning, node.attr))
            return tuple(found)
        return ()

    def _plain(self, scope: Scope, name: str) -> tuple[Meaning, ...]:
        at: Scope | None = scope
        while at is not None:
            if (at is scope or at.kind != "class") and name in at.bindings:
                plain = [b for b in at.bindings[name] if not isinstance(b, Value)]
                return self._meanings(at, plain, frozenset())
            if at.parent is None:
                return self.exported(at.stem, name)
            at = at.parent
        return ()

    def annotated(self, scope: Scope, node: ast.expr) -> tuple[DefinitionId, ...]:
        """Return the classes that an annotation plainly names: `C`, `"C"`, `C | None`."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            inner = annotation_in(node)
            return () if inner is None else self.annotated(scope, inner)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.annotated(scope, node.left) + self.annotated(scope, node.right)
        if isinstance(node, ast.Subscript) and _last_name(node.value) == "Optional":
            return self.annotated(scope, node.slice)
        found = self._callee(scope, node)
        return tuple(m for m in found if isinstance(m, str) and m in self.classes)

    def meaning(self, scope: Scope, node: ast.expr) -> tuple[Meaning, ...]:
        """Return what an expression made of names, attributes and calls may mean."""
        if isinstance(node, ast.Name):
            return self.lookup(scope, node.id)
        if isinstance(node, ast.Attribute):
            found: dict[Meaning, None] = {}
            for meaning in self.meaning(scope, node.value):
                for attribute in self.attribute(meaning, node.attr):
                    found[attribute] = None
            return tuple(found)
        if isinstance(node, ast.Call):
            return self.called(scope, node)
        return ()

    def called(self, scope: Scope, node: ast.Call) -> tuple[Meaning, ...]:
        """Return the object that a call of a class gives; `super()` gives its proxy."""
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return ()
        return tuple(
            Instance(m)
            for m in self.meaning(scope, node.func)
            if isinstance(m, str) and m in self.classes
        )

    def super_attribute(self, scope: Scope, name: str) -> tuple[Meaning, ...]:
        """Return what `super().name` means in `scope`."""
        at: Scope | None = scope
        while at is not None and at.kind != "class":
            at = at.parent
        if at is None:
            return ()
        return self._member(self.mro(at.definition)[1:], name)

    # --- attributes --------------------------------------------------------------------------

    def attribute(self, meaning: Meaning, name: str) -> tuple[Meaning, ...]:
        """Return what `.name` of a module, a class or an object means."""
        if isinstance(meaning, Instance):
            return self._member(self.mro(meaning.of), name)
        if meaning.endswith("::"):
            return self.exported(stem(meaning[:-2]), name)
        if meaning in self.classes:
            return self._member(self.mro(meaning), name)
        if meaning in self.constants:
            scope, node = self.constants[meaning]
            found: list[Meaning] = []
            for built in self._built(scope, node):
                found.extend(self.attribute(built, name))
            return tuple(found)
        return ()

    def _member(self, order: Iterable[DefinitionId], name: str) -> tuple[Meaning, ...]:
        for class_id in order:
            scope = self.classes[class_id].scope
            if name in scope.bindings:
                return self._meanings(scope, scope.bindings[name], frozenset())
        return ()

    def mro(self, class_id: DefinitionId) -> tuple[DefinitionId, ...]:
        """Return the class and its bases in the tree, in the order in which they are searched.

        Depth first, a shared base after all that share it: the language's order for every
        hierarchy that one meets, and defined for broken ones too.
        """
        if class_id not in self._mro:
            self._mro[class_id] = (class_id,)  # ends a cycle
            order: list[DefinitionId] = []
            for base in self.bases(class_id):
                order.extend(self.mro(base))
            last = {c: i for i, c in enumerate(order)}
            kept = [c for i, c in enumerate(order) if last[c] == i and c != class_id]
            self._mro[class_id] = (class_id, *kept)
        return self._mro[class_id]

    def bases(self, class_id: DefinitionId) -> tuple[DefinitionId, ...]:
        """Return the bases of a class that are in the tree."""
        known = self.classes[class_id]
        found: dict[DefinitionId, None] = {}
        for node in known.bases:
            plain = node.value if isinstance(node, ast.Subscript) else node  # Generic[T]
            for meaning in self.meaning(known.around, plain):
                if isinstance(meaning, str) and meaning in self.classes and meaning != class_id:
                    found[meaning] = None
        return tuple(found)


def annotation_in(node: ast.Constant) -> ast.expr | None:
    """Return the expression that a string annotation holds, or None."""
    try:
        return ast.parse(str(node.value).strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _join(folder: str, tail: str) -> str:
    return f"{folder}/{tail}" if folder and tail else folder or tail


def _above(name: str) -> Iterator[str]:
    while "/" in name:
        name = name.rsplit("/", 1)[0]
        yield name


def targets(meanings: Iterable[Meaning]) -> tuple[DefinitionId, ...]:
    """Return the definitions among `meanings`; an object is not a definition."""
    return tuple(m for m in meanings if isinstance(m, str))
