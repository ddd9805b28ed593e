"""Whether what a deletion takes out did anything while its module was imported.

A function that is merely defined, and is gone, is seen by nobody but its callers. One that a
decorator registered, a class that its base counted, or an entry of a table may be seen by code
that runs no line of the file.
"""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from featuredel import trees
from featuredel.languages.python.source import parse
from featuredel.model import Deletion

_WATCHERS = (b"__init_subclass__", b"__subclasses__", b"metaclass", b"__set_name__")
_DECORATORS = frozenset((
    "abstractmethod", "asynccontextmanager", "cache", "cached_property", "classmethod",
    "contextmanager", "dataclass", "deleter", "final", "getter", "lru_cache", "overload",
    "override", "property", "setter", "staticmethod", "total_ordering", "wraps",
))  # fmt: skip
_CALLS = frozenset((
    "NewType", "ParamSpec", "TypeVar", "cast", "compile", "dict", "field", "frozenset", "getLogger",
    "list", "namedtuple", "object", "set", "tuple",
))  # fmt: skip


def acts_at_import(root: Path, deletion: Deletion) -> bool:
    """Tell whether the deletion takes away more than names from modules as they are imported."""
    for path in deletion.gold_paths:
        if not path.endswith(".py") or not (root / path).is_file():
            continue
        new = deletion.edits.get(path)
        before, after = parse(trees.read(root, path)), parse(new or b"")
        if before is None or after is None or _acts(before.body, after.body, _is_watched(root)):
            return True
    return False


@lru_cache(maxsize=4)
def _is_watched(root: Path) -> bool:
    """Tell whether anything in the tree may notice that a class is defined."""
    sources = (trees.read(root, path) for path in trees.files(root) if path.endswith(".py"))
    return any(word in source for source in sources for word in _WATCHERS)


def _acts(old: Iterable[ast.stmt], new: Iterable[ast.stmt], watched: bool) -> bool:
    left = dict(_keyed(old))
    for key, node in _keyed(new):
        before = left.pop(key, None)
        if isinstance(node, ast.ClassDef) and isinstance(before, ast.ClassDef):
            if _acts(before.body, node.body, watched):
                return True
        elif before is None and not isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
            return True
    return not all(_is_silent(node, watched) for node in left.values())


def _keyed(body: Iterable[ast.stmt]) -> Iterator[tuple[tuple[str, int], ast.stmt]]:
    """Yield the statements by what they do when they are run, and which of their like they are."""
    seen: dict[str, int] = {}
    for node in body:
        key = _key(node)
        seen[key] = seen.get(key, 0) + 1
        yield (key, seen[key]), node


def _key(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            parts = (node.args, *node.decorator_list)
            return " ".join(("def", node.name, *map(ast.dump, parts)))
        case ast.ClassDef():
            parts = (*node.bases, *node.keywords, *node.decorator_list)
            return " ".join(("class", node.name, *map(ast.dump, parts)))
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return "__all__"
    return ast.dump(node)


def _is_silent(node: ast.stmt, watched: bool) -> bool:
    """Tell whether nobody notices that a statement is not run, but those that want its names."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return all(_last_name(d) in _DECORATORS for d in node.decorator_list)
        case ast.ClassDef():
            return (
                not (watched and (node.bases or node.keywords))
                and all(_last_name(d) in _DECORATORS for d in node.decorator_list)
                and all(_is_silent(child, watched) for child in node.body)
            )
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()):
            return node.value is None or _is_plain(node.value)
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.If():
            return _is_plain(node.test) and all(
                _is_silent(child, watched) for child in (*node.body, *node.orelse)
            )
    return False


def _is_plain(value: ast.expr) -> bool:
    return all(
        _last_name(node) in _CALLS
        for node in ast.walk(value)
        if isinstance(node, ast.Call | ast.Await | ast.NamedExpr)
    )


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Call(func=func):
            return _last_name(func)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""
