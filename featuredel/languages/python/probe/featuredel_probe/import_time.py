"""What a module names while it is imported: what it would miss, were it not there."""

import ast
import importlib.util
from typing import Any, Dict, Iterable, List, Set, Tuple

from .statements import Text


class ImportTime(ast.NodeVisitor):
    """What a module imports, and loads as `name` or `.attribute`, while it is imported."""

    def __init__(self, body: Iterable[ast.stmt], package: str) -> None:
        """`package` is that of the module."""
        self.package = package
        self.loads: Set[str] = set()
        self.fetched: Set[str] = set()  # and not called on the spot
        self.taken: List[Tuple[str, str, str]] = []  # module, name there, name here
        self.stars: Set[str] = set()
        self.imported: Set[str] = set()
        self._called: Set[int] = set()
        for node in body:
            self.visit(node)

    def _signature(self, node: Any) -> None:
        arguments = node.args
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)

    def _function(self, node: Any) -> None:
        for one in node.decorator_list:
            self.visit(one)
        self._signature(node)
        every = (*node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
        for one in (*every, *getattr(node.args, "posonlyargs", ())):
            if one is not None and one.annotation is not None:
                self.visit(one.annotation)
        if node.returns is not None:
            self.visit(node.returns)

    visit_FunctionDef = visit_AsyncFunctionDef = _function  # noqa: N815 -- ast's names
    visit_Lambda = _signature  # noqa: N815

    def visit_Call(self, node: ast.Call) -> None:
        """Remember what is called."""
        self._called.add(id(node.func))
        self.generic_visit(node)

    def _load(self, node: Any) -> None:
        name = node.id if isinstance(node, ast.Name) else "." + node.attr
        if isinstance(node.ctx, ast.Load):
            self.loads.add(name)
            if id(node) not in self._called:
                self.fetched.add(name)
        self.generic_visit(node)

    visit_Name = visit_Attribute = _load  # noqa: N815

    def visit_Import(self, node: ast.Import) -> None:
        """Note which modules are imported."""
        for alias in node.names:
            self._note(alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Note which modules are imported, and what is taken from them."""
        module = node.module or ""
        if node.level:
            module = importlib.util.resolve_name("." * node.level + module, self.package)
        self._note(module)
        for alias in node.names:
            if alias.name == "*":
                self.stars.add(module)
            else:
                self.taken.append((module, alias.name, alias.asname or alias.name))
                self.imported.add(module + "." + alias.name)

    def _note(self, module: str) -> None:
        parts = module.split(".")
        self.imported.update(".".join(parts[: n + 1]) for n in range(len(parts)))


class Sources:
    """The loaded files of the tree, and what each does when it is imported."""

    def __init__(self, packages: Dict[str, str], workspace: str) -> None:
        """`packages` are the loaded files, each with the package of its module."""
        self._packages = packages
        self._workspace = workspace
        self._texts: Dict[str, bytes] = {}
        self._parsed: Dict[str, Text] = {}
        self._changed: Dict[Tuple[str, bytes], Tuple[Text, Text, List[ast.stmt]]] = {}
        self._known: Dict[Tuple[str, bytes], ImportTime] = {}

    def text(self, path: str) -> bytes:
        """Return a file of the tree."""
        if path not in self._texts:
            with open(self._workspace + path, "rb") as file:
                self._texts[path] = file.read()
        return self._texts[path]

    def parsed(self, path: str) -> Text:
        """Return the statements of a file.

        Raises `SyntaxError` or `ValueError` for what is no Python.
        """
        if path not in self._parsed:
            self._parsed[path] = Text(self.text(path))
        return self._parsed[path]

    def changed(self, path: str, source: bytes) -> Tuple[Text, Text, List[ast.stmt]]:
        """Return where a file differs from `source`, as `Text.against` does."""
        key = (path, source)
        if key not in self._changed:
            self._changed[key] = self.parsed(path).against(source)
        return self._changed[key]

    def at_import(self, path: str, source: bytes) -> ImportTime:
        """Return what a loaded file does when it is imported, were `source` in it."""
        key = (path, source)
        if key not in self._known:
            body = self.parsed(path).body
            if source != self.text(path):
                _, new, around = self.changed(path, source)
                body = new.body + around
            self._known[key] = ImportTime(body, self._packages[path])
        return self._known[key]

    def naming(self, words: Set[str], files: Dict[str, bytes]) -> Dict[str, ImportTime]:
        """Return the loaded files whose text holds one of `words`, were `files` in place."""
        wanted = [word.encode() for word in words]
        found = {}
        for path in self._packages:
            text = files.get(path, self.text(path))
            if any(word in text for word in wanted):
                found[path] = self.at_import(path, text)
        return found
