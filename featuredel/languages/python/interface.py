"""The interface of deleted code: where each definition is imported from, and its signature."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from featuredel.languages.python.gold import Function, GoldFile, gold_files
from featuredel.languages.python.layout import stem
from featuredel.model import Deletion


@dataclass(frozen=True, slots=True)
class Entry:
    """One deleted definition as its users see it."""

    module: str  # where it was defined: "jinja2.ext"
    path: str
    qualname: str
    signature: str  # Python text: "def f(a, *, b=2) -> int", "class C(Base)", "C = ..."
    doc: str  # docstring, dedented; "" without one
    raises: tuple[str, ...]  # names of exceptions that its code raises
    members: tuple["Entry", ...]  # of a class

    @property
    def name(self) -> str:
        """Return the full dotted name."""
        return f"{self.module}.{self.qualname}"

    @property
    def public(self) -> bool:
        """Whether no part of the name starts with an underscore; special methods are public."""
        return not any(_private(part) for part in self.qualname.split("."))

    def walk(self) -> Iterator["Entry"]:
        """Yield this entry and all below it."""
        yield self
        for member in self.members:
            yield from member.walk()


def entries(root: Path, deletion: Deletion) -> tuple[Entry, ...]:
    """Return the deleted definitions, outermost ones, in the order of files and lines."""
    found: list[Entry] = []
    for file in gold_files(root, deletion):
        module = module_name(root, file.path)
        nodes = sorted(file.deleted, key=lambda node: getattr(node, "lineno", 0))
        qualnames = {id(n): name for name, many in file.definitions.items() for n in many}
        for node in nodes:
            body = node.body if isinstance(node, ast.Module) else [cast(ast.stmt, node)]
            for statement in body:
                entry = _entry(file, module, statement, qualnames.get(id(statement), ""))
                if entry is not None:
                    found.append(entry)
    return tuple(found)


def module_name(root: Path, path: str) -> str:
    """Return the dotted name that the module at `path` is imported by."""
    parts = stem(path).split("/")
    start = len(parts) - (not path.endswith("__init__.py"))
    for folder in (root / path).parents:
        if start == 0 or not (folder / "__init__.py").is_file():
            break
        start -= 1
    return ".".join(parts[start:])


def imports_of(deletion: Deletion) -> frozenset[str]:
    """Return the dotted names that the hidden tests import, or reach through a module's alias."""
    found: set[str] = set()
    for file in deletion.hidden_files:
        if file.path.endswith(".py"):
            found |= _imported(ast.parse(file.content))
    return frozenset(found)


def _imported(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found.add(f"{node.module}.{alias.name}")
                modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                modules[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (dotted := _dotted(node, modules)):
            found.add(dotted)
    return found


def _dotted(node: ast.expr, modules: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return modules.get(node.id)
    if isinstance(node, ast.Attribute) and (base := _dotted(node.value, modules)):
        return f"{base}.{node.attr}"
    return None


def _entry(file: GoldFile, module: str, node: ast.stmt, qualname: str) -> Entry | None:
    if isinstance(node, Function):
        return Entry(module, file.path, qualname, signature(node), _doc(node), _raises(node), ())
    if isinstance(node, ast.ClassDef):
        members = (_entry(file, module, n, f"{qualname}.{_name(n)}") for n in node.body)
        return Entry(
            module, file.path, qualname, signature(node), _doc(node), (),
            tuple(member for member in members if member is not None),
        )  # fmt: skip
    if isinstance(node, ast.Assign | ast.AnnAssign) and (name := _name(node)):
        kind = f": {ast.unparse(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
        return Entry(module, file.path, qualname or name, f"{name}{kind} = ...", "", (), ())
    return None


def signature(node: Function | ast.ClassDef) -> str:
    """Return the head of a definition as Python text, each decorator on a line of its own."""
    head = "".join(f"@{ast.unparse(decorator)}\n" for decorator in node.decorator_list)
    if isinstance(node, ast.ClassDef):
        bases = [*node.bases, *(keyword for keyword in node.keywords)]
        inside = ", ".join(ast.unparse(base) for base in bases)
        return f"{head}class {node.name}" + (f"({inside})" if inside else "")
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{head}{kind} {node.name}({ast.unparse(node.args)}){returns}"


def _doc(node: Function | ast.ClassDef) -> str:
    return inspect.cleandoc(ast.get_docstring(node) or "")


def _raises(node: Function) -> tuple[str, ...]:
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Raise) and inner.exc is not None:
            raised = inner.exc.func if isinstance(inner.exc, ast.Call) else inner.exc
            if isinstance(raised, ast.Name | ast.Attribute):
                name = ast.unparse(raised)
                if name.rpartition(".")[2][:1].isupper():
                    found.add(name)
    return tuple(sorted(found))


def _name(node: ast.stmt) -> str:
    if isinstance(node, Function | ast.ClassDef):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return target.id if isinstance(target, ast.Name) else ""


def _private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))
