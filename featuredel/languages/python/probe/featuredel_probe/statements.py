"""What a statement of a module or class does when it runs, as far as its text tells."""

import ast
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Import = (ast.Import, ast.ImportFrom)

DECORATORS = {
    "abstractmethod", "asynccontextmanager", "cache", "cached_property", "classmethod",
    "contextmanager", "dataclass", "final", "lru_cache", "overload", "override", "property",
    "staticmethod", "total_ordering", "wraps",
}  # fmt: skip
_CALLS = {
    "NewType", "ParamSpec", "TypeVar", "cast", "compile", "dict", "field", "format", "frozenset",
    "getLogger", "globals", "join", "list", "namedtuple", "object", "set", "tuple",
}  # fmt: skip


class Text:
    """The statements of a file, and how each is written."""

    def __init__(self, source: bytes) -> None:
        """Raises `SyntaxError` or `ValueError` for what is no Python."""
        self.body = ast.parse(source).body
        self._lines = source.splitlines()

    def keyed(self, body: Iterable[ast.stmt]) -> Iterator[Tuple[Tuple[str, int], ast.stmt]]:
        """Yield the statements by what they do when they run, and which of their like they are.

        Each name of an import is a statement.
        """
        seen: Dict[str, int] = {}
        for node in body:
            for single in _singly(node):
                key = self._meaning(single)
                seen[key] = seen.get(key, 0) + 1
                yield (key, seen[key]), single

    def written(self, node: Any) -> bytes:
        """Return the lines of a statement, decorators included."""
        return self._between(first_line(node), node.end_lineno)

    def _between(self, first: int, last: int) -> bytes:
        return b"\n".join(self._lines[first - 1 : last])

    def _meaning(self, node: Any) -> str:
        if isinstance(node, (*Function, ast.ClassDef)):
            body = node.body
            doc = isinstance(node, Function) and ast.get_docstring(node, clean=False) is not None
            last = (body[0].end_lineno or 0) if doc else first_line(body[0]) - 1
            head = self._between(first_line(node), max(node.lineno, last))
            return "%s %s %r" % (type(node).__name__, node.name, head)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            names = bound(node)
            if names and is_plain(node.value):
                return "= " + " ".join(names)
        if isinstance(node, Import):
            return ast.dump(node)
        return "%s %r" % (type(node).__name__, self.written(node))


def _singly(node: ast.stmt) -> Iterator[ast.stmt]:
    if isinstance(node, ast.Import):
        yield from (ast.Import([alias]) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (ast.ImportFrom(node.module, [alias], node.level) for alias in node.names)
    else:
        yield node


def bound(node: Any) -> Optional[List[str]]:
    """Return the names that a statement binds, if it does nothing else."""
    if isinstance(node, (*Function, ast.ClassDef)):
        return [node.name]
    if isinstance(node, Import):
        names = [alias.asname or alias.name.split(".")[0] for alias in node.names]
        return None if "*" in names else names
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    elif isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ):
        return []
    else:
        return None
    return [t.id for t in targets if isinstance(t, ast.Name)] if _all_names(targets) else None


def _all_names(targets: Sequence[ast.expr]) -> bool:
    return all(isinstance(target, ast.Name) for target in targets)


def is_silent(node: Any) -> bool:
    """Tell whether nobody notices that a statement is not run, but who wants its names."""
    if isinstance(node, ast.ClassDef):
        return all(bound(child) is not None and is_silent(child) for child in node.body)
    value = getattr(node, "value", None)
    return not isinstance(node, (ast.Assign, ast.AnnAssign)) or value is None or is_plain(value)


def is_plain(value: ast.expr) -> bool:
    """Tell whether an expression has no effect besides its value."""
    return all(
        last_name(node) in _CALLS
        for node in ast.walk(value)
        if isinstance(node, (ast.Call, ast.Await, ast.NamedExpr))
    )


def last_name(node: Any) -> str:
    """Return the name that an expression ends in, without what it is called with."""
    while isinstance(node, ast.Call):
        node = node.func
    return str(getattr(node, "attr", getattr(node, "id", "")))


def functions(node: Any) -> Iterator[Any]:
    """Yield a definition and the functions directly in it, if it is a class."""
    if isinstance(node, Function):
        yield node
    elif isinstance(node, ast.ClassDef):
        for child in node.body:
            yield from functions(child)


def first_line(node: Any) -> int:
    """Return the line where a statement begins, decorators included, as its code has it."""
    return int(min(n.lineno for n in (node, *getattr(node, "decorator_list", ()))))
