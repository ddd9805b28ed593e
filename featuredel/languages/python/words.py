"""The words of a test file: where it says a name, in whatever way pytest or Python may read it."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from featuredel.languages.python.parsed import Function, Parsed

_IMPLICIT_PREFIXES = ("setup_", "teardown_", "pytest_", "setUp", "tearDown", "asyncSetUp")
_IMPLICIT = frozenset({"setup", "teardown", "asyncTearDown", "runTest", "load_tests", "__init__"})
_PLAIN_DECORATORS = frozenset(
    {
        *("staticmethod", "classmethod", "property", "contextmanager", "asynccontextmanager"),
        *("dataclass", "lru_cache", "cache", "wraps", "total_ordering", "overload", "setter"),
        *("fixture", "frozen", "define", "attrs", "s", "unique", "runtime_checkable"),
    }
)
_LONGEST_LIST = 200
"""A longer string is text."""


class Words:
    """Every mention of a name in one file."""

    def __init__(self, file: Parsed) -> None:
        self.file = file
        self.loads: dict[str, list[ast.AST]] = defaultdict(list)  # names and attributes
        self.parameters: dict[str, list[ast.AST]] = defaultdict(list)
        self.strings: dict[str, list[ast.AST]] = defaultdict(list)  # also the end of a dotted name
        for node in file.parents:
            self._add(node)

    def _add(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Store):
                self.loads[node.id].append(node)
        elif isinstance(node, ast.Attribute):
            self.loads[node.attr].append(node)
        elif isinstance(node, ast.arg):
            self.parameters[node.arg].append(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for word in _identifiers(node.value):
                self.strings[word].append(node)


def within(node: ast.AST) -> Iterator[str]:
    """Yield the names that `node` mentions."""
    for child in ast.walk(node):
        if isinstance(child, ast.Name):
            yield child.id
        elif isinstance(child, ast.Attribute):
            yield child.attr
        elif isinstance(child, ast.arg):
            yield child.arg
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield from _identifiers(child.value)


def _identifiers(text: str) -> list[str]:
    """Return the names that a string may list, as `usefixtures("a")` or `"a, b"` do."""
    words = text.replace(",", " ").split() if len(text) < _LONGEST_LIST else []
    return [last for word in words if (last := word.rpartition(".")[2]).isidentifier()]


def strings(node: ast.AST) -> Iterator[str]:
    """Yield the string constants in `node`."""
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value


def is_fixture(node: ast.AST) -> bool:
    """Tell whether pytest calls the function by the name of a parameter."""
    return isinstance(node, Function) and any("fixture" in _last(d) for d in node.decorator_list)


def fixture_names(node: Function) -> tuple[str, ...]:
    """Return the names by which a fixture is asked for."""
    for decorator in node.decorator_list:
        for keyword in getattr(decorator, "keywords", ()):
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                return (node.name, str(keyword.value.value))
    return (node.name,)


def is_implicit(node: ast.AST) -> bool:
    """Tell whether the function runs although nothing names it."""
    if not isinstance(node, Function):
        return False
    if node.name in _IMPLICIT or node.name.startswith(_IMPLICIT_PREFIXES):
        return True
    return any(
        keyword.arg == "autouse" and not (
            isinstance(keyword.value, ast.Constant) and not keyword.value.value
        )
        for decorator in node.decorator_list
        for keyword in getattr(decorator, "keywords", ())
    )  # fmt: skip


def is_registered(node: ast.AST) -> bool:
    """Tell whether a decorator may keep the function or class for a use that nothing names."""
    return any(_last(d) not in _PLAIN_DECORATORS for d in getattr(node, "decorator_list", ()))


def _last(decorator: ast.expr) -> str:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
