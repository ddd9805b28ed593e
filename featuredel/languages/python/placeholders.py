"""Turn a test file into its hidden form: it loads although names that it imports are missing.

Where the names are there, the file does exactly what it did. Each edit stays on the lines of
what it replaces, so that line numbers stay too.
"""

import ast
import builtins
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from featuredel.languages.python.import_time import ImportTime, import_time
from featuredel.languages.python.placeholder_block import BLOCK
from featuredel.languages.python.spans import Edit, Text, read

_SCOPE_SENSITIVE = frozenset({"locals", "globals", "vars", "dir", "eval", "exec", "super"})


@dataclass(frozen=True, slots=True)
class Loading:
    """What of a source runs when it is loaded, whatever is missing then."""

    text: Text
    steps: tuple[ImportTime, ...]
    words: frozenset[str]  # parts of the dotted names that it may look up


def loading(source: bytes, tree: ast.Module | None = None) -> Loading | None:
    """Return what runs when `source`, of which `tree` may be the tree, is loaded.

    None if it is not Python of this interpreter.
    """
    text = read(source, tree)
    if text is None:
        return None
    steps = tuple(import_time(text.tree))
    values = (node for step in steps for value in step.values for node in ast.walk(value))
    return Loading(text, steps, frozenset(part for node in values for part in _parts(node)))


def _parts(node: ast.AST) -> Iterable[str]:
    if isinstance(node, ast.Attribute):
        return (node.attr,)
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return str(node.value).split(".") if is_text else ()  # type: ignore[attr-defined]


def with_placeholders(
    source: bytes,
    missing: Collection[tuple[str, str]],
    package: str = "",
    known: Loading | None = None,
) -> bytes:
    """Return `source` with placeholders for the `missing` names that it uses while it loads.

    `missing` holds (module, name) as the file may import them, and (module, "") for a module
    that is missing as a whole. `package` is what relative imports start from. A source that
    does not parse, and one that uses none of the names, is returned as it is. `known` is what
    `loading` returns for the source.
    """
    known = known or loading(source)
    if known is None:
        return source
    text, steps = known.text, known.steps
    names = frozenset(f"{module}.{name}" if name else module for module, name in missing)
    rewrite = _Rewrite(text, names, package)
    for step in steps:
        rewrite.imports(step)
    if rewrite.tainted or any(name.rpartition(".")[2] in known.words for name in names):
        for step in steps:
            rewrite.uses(step)
    if not rewrite.edits:
        return source
    return text.edited([*rewrite.edits, _prologue(text, rewrite.first), _epilogue(text)])


@dataclass(slots=True)
class _Rewrite:
    text: Text
    missing: frozenset[str]
    package: str
    edits: list[Edit] = field(default_factory=list)
    modules: dict[str, str] = field(default_factory=dict)  # local name -> the module it is
    tainted: dict[str, str] = field(default_factory=dict)  # local name -> what may be missing
    first: int = 1 << 62  # offset of the first edit

    # --- imports

    def imports(self, step: ImportTime) -> None:
        node = step.node
        if isinstance(node, ast.Import):
            self._import(node)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            self._import_from(node)

    def _import(self, node: ast.Import) -> None:
        kept: list[str] = []
        made: list[str] = []
        for alias in node.names:
            local = alias.asname or alias.name.partition(".")[0]
            self.modules[local] = alias.name if alias.asname else local
            if self._is_missing(alias.name):
                self.tainted[local] = alias.name
                made.append(f"{local} = _featuredel.module({alias.name!r}, {bool(alias.asname)})")
            else:
                kept.append(_alias(alias))
        self._replace(node, f"import {', '.join(kept)}" if kept else "", made)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = self._absolute(node)
        if node.names[0].name == "*":
            self._star(node, module)
            return
        kept: list[str] = []
        made: list[str] = []
        for alias in node.names:
            local = alias.asname or alias.name
            self.modules[local] = full = f"{module}.{alias.name}"
            if self._is_missing(full):
                self.tainted[local] = full
                call = f"_featuredel.name({node.module or ''!r}, {node.level}, {alias.name!r})"
                made.append(f"{local} = {call}")
            else:
                kept.append(_alias(alias))
        origin = "." * node.level + (node.module or "")
        self._replace(node, f"from {origin} import ({', '.join(kept)})" if kept else "", made)

    def _star(self, node: ast.ImportFrom, module: str) -> None:
        wanted = {n for n in _free_names(self.text.tree) if self._is_missing(f"{module}.{n}")}
        if not wanted and not self._is_missing(module):
            return
        self.tainted.update((name, f"{module}.{name}") for name in wanted)
        call = f"_featuredel.star({node.module or ''!r}, {node.level}, {sorted(wanted)!r})"
        self._replace(node, "", [call])

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.package.split(".") if self.package else []
        parts = parts[: len(parts) - node.level + 1]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def _is_missing(self, full: str) -> bool:
        parts = full.split(".")
        return any(".".join(parts[: n + 1]) in self.missing for n in range(len(parts)))

    def _replace(self, node: ast.stmt, kept: str, made: list[str]) -> None:
        """Put one line of statements in the place of an import, as many lines high as it was."""
        if not made:
            return
        height = (node.end_lineno or node.lineno) - node.lineno
        line_ends = self.text.newline.decode() * height
        made[-1] = made[-1][:-1] + line_ends + ")"
        start, end = self.text.span(node)
        self._edit(start, end, 0, "; ".join([kept, *made] if kept else made))

    # --- uses while the module loads

    def uses(self, step: ImportTime) -> None:
        if isinstance(step.node, ast.Import | ast.ImportFrom):
            return
        guarded = {id(value) for value in step.guardable}
        for value in step.values:
            label = self._look(value, step)
            if label and id(value) in guarded and not _needs_its_frame(value, step.class_names):
                self._wrap(value, f"_featuredel.guard({label!r}, lambda: (", "))", -1)
                for target in step.targets:
                    self.tainted.setdefault(target, label)

    def _look(self, value: ast.expr, step: ImportTime) -> str:
        """Guard the look-ups of missing names in `value`; return one of the names, or ""."""
        label = ""
        stack: list[ast.AST] = [value]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Name) and node.id in self.tainted:
                label = label or self.tainted[node.id]
            full = self._looked_up(node, step)
            if full:
                label = label or full
                self._wrap(node, f"_featuredel.look({full!r}, lambda: ", ")", 0)
            elif not isinstance(node, ast.Lambda | ast.JoinedStr):
                # in an f-string the positions of nodes cannot be trusted
                stack.extend(ast.iter_child_nodes(node))
        return label

    def _looked_up(self, node: ast.AST, step: ImportTime) -> str:
        """Return the missing name that the expression looks up in a module, or ""."""
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            full = self._dotted(node, step.class_names)
            return full if full and self._is_missing(full) else ""
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func).rpartition(".")[2]
            module = node.args[0].value
            if called in ("import_module", "__import__") and isinstance(module, str):
                return module if self._is_missing(module) else ""
        return ""

    def _dotted(self, node: ast.expr, class_names: frozenset[str]) -> str:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in class_names:
            return ""
        module = self.modules.get(node.id, "")
        return ".".join([module, *reversed(parts)]) if module else ""

    def _wrap(self, node: ast.AST, before: str, after: str, rank: int) -> None:
        start, end = self.text.span(node)
        self._edit(start, start, rank, before)
        self._edit(end, end, -rank, after)

    def _edit(self, start: int, end: int, rank: int, new: str) -> None:
        self.first = min(self.first, start)
        self.edits.append(Edit(start, end, rank, new.encode()))


def _alias(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _needs_its_frame(value: ast.expr, class_names: frozenset[str]) -> bool:
    """Return whether `value` would mean something else inside a lambda."""
    for node in ast.walk(value):
        if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return True
        if isinstance(node, ast.Name) and node.id in _SCOPE_SENSITIVE | class_names:
            return True
    return False


def _free_names(tree: ast.Module) -> frozenset[str]:
    """Return the names that are read somewhere and bound nowhere in the file."""
    read_names: set[str] = set()
    bound: set[str] = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read_names if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
    return frozenset(read_names - bound)


def _prologue(text: Text, first: int) -> Edit:
    """Return the edit that defines the block before the offset `first`, on a line that exists.

    It stands behind the docstring and the imports from `__future__`.
    """
    block = f"exec({BLOCK!r})".encode()
    body = text.tree.body
    leading = 0
    while leading < len(body) and _must_lead(body[leading], leading):
        leading += 1
    for node in body[leading:]:
        start = text.span(node)[0]
        if start > first:
            break
        if not isinstance(node, _COMPOUND):
            return Edit(start, start, -9, block + b"; ")
    if leading:
        end = text.span(body[leading - 1])[1]
        return Edit(end, end, 9, b"; " + block)
    return Edit(*_own_line(text, body[0]), -9, block + text.newline)


_COMPOUND = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.If | ast.Try | ast.TryStar
    | ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith | ast.Match
)  # fmt: skip


def _must_lead(node: ast.stmt, position: int) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return position == 0 and is_text


def _own_line(text: Text, node: ast.stmt) -> tuple[int, int]:
    """Return the empty line before `node` that can be used up, or else where to insert one."""
    line = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    start = text.starts[line - 1]
    if line > 1 and not text.data[text.starts[line - 2] : start].strip():
        return text.starts[line - 2], start
    return start, start


def _epilogue(text: Text) -> Edit:
    end = len(text.data)
    last = b"" if text.data.endswith((b"\n", b"\r")) else text.newline
    return Edit(end, end, 9, last + b"_featuredel.arm()" + text.newline)
