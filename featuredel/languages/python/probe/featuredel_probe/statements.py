"""What a statement of a module or class does when it runs, as far as its text tells."""

import __future__

import ast
from types import CodeType
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

    def __init__(self, source: bytes, flags: int = 0) -> None:
        """Raises `SyntaxError` or `ValueError` for what is no Python."""
        self.body = ast.parse(source).body
        self._source = source
        self._lines = source.splitlines()
        self._flags = flags

    def compiled(self, path: str) -> CodeType:
        """Return the code of these statements."""
        code: CodeType = compile(self._source, path, "exec", self._flags, dont_inherit=True)
        return code

    def against(self, source: bytes) -> Tuple["Text", "Text", List[ast.stmt]]:
        """Return where this file differs from another text for it, as it is here and there.

        With them come the statements around, which are the same. They are not parsed again, for a
        file may be a hundred times as long as what changes. Lines are those of the files.
        """
        lines = source.splitlines()
        before, last = self._around(lines)
        first = self.body[before - 1].end_lineno or 0 if before else 0
        more = len(lines) - len(self._lines)
        end = first_line(self.body[last]) - 1 if last < len(self.body) else len(self._lines)
        flags = 0
        for node in self.body:
            flags |= _future(node)
        try:
            if b"coding" in b"".join(self._lines[:2]):
                raise SyntaxError("other letters")
            parts = [
                Text(b"\n" * first + b"\n".join(some) + b"\n", flags)
                for some in (self._lines[first:end], lines[first : end + more])
            ]
        except SyntaxError:  # it begins or ends in the middle of a statement there
            return self, Text(source), []
        return parts[0], parts[1], self.body[:before] + self.body[last:]

    def _around(self, lines: Sequence[bytes]) -> Tuple[int, int]:
        """Return how many statements are as before, and the first of those behind the changes."""
        own, most = self._lines, min(len(self._lines), len(lines))
        same = next((n for n in range(most) if own[n] != lines[n]), most)
        after = next((n for n in range(most - same) if own[-1 - n] != lines[-1 - n]), most - same)
        before = sum((node.end_lineno or 0) <= same for node in self.body)
        last = sum(first_line(node) <= len(own) - after for node in self.body)
        while before and before < len(self.body):
            if (self.body[before - 1].end_lineno or 0) < first_line(self.body[before]):
                break
            before -= 1  # they share a line
        while 0 < last < len(self.body):
            if (self.body[last - 1].end_lineno or 0) < first_line(self.body[last]):
                break
            last += 1
        return before, max(last, before)

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


def _future(node: ast.stmt) -> int:
    """Return the flags that a statement sets for the compiler."""
    if not isinstance(node, ast.ImportFrom) or node.module != "__future__":
        return 0
    return sum(getattr(__future__, alias.name).compiler_flag for alias in node.names)


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
