"""Whether what a deletion takes out did anything while its module was imported.

A function that is merely defined, and is gone, is seen by nobody but its callers. One that a
decorator registered, a class that its base counted, or an entry of a table may be seen by code
that runs no line of the file.
"""

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal

from featuredel import trees
from featuredel.languages.python.gold import Function
from featuredel.languages.python.imported import local_modules
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


def acts_at_import(
    root: Path, deletion: Deletion, imported: Collection[str], reached: Collection[str]
) -> Literal["no", "here", "anywhere"]:
    """Tell whether the deletion takes away more than names from modules as they are imported.

    `imported` are the files that were, outside of any test, and `reached` those of which a test
    ran something. "here": what was done is kept by modules of the tree; "anywhere": a library may
    keep it, or it is done in the middle of a test.
    """
    loaded = [path for path in deletion.gold_paths if path in imported or path in reached]
    acting = [(path, node) for path in loaded for node in _acting(root, deletion, path)]
    if not acting:
        return "no"
    if all(path in imported and _is_ours(root, path, node) for path, node in acting):
        return "here"
    return "anywhere"


def _acting(root: Path, deletion: Deletion, path: str) -> Iterator[ast.stmt]:
    """Yield the statements of one file that are not run any more, or newly, and do something."""
    if path.endswith(".py") and (root / path).is_file():
        before, after = parse(trees.read(root, path)), parse(deletion.edits.get(path) or b"")
        if before is not None and after is not None:
            yield from _differing(before.body, after.body, _is_watched(root))


@lru_cache(maxsize=4)
def _is_watched(root: Path) -> bool:
    """Tell whether anything in the tree may notice that a class is defined."""
    sources = (trees.read(root, path) for path in trees.files(root) if path.endswith(".py"))
    return any(word in source for source in sources for word in _WATCHERS)


def _differing(
    old: Iterable[ast.stmt], new: Iterable[ast.stmt], watched: bool
) -> Iterator[ast.stmt]:
    left = dict(_keyed(old))
    for key, node in _keyed(new):
        before = left.pop(key, None)
        if isinstance(node, ast.ClassDef) and isinstance(before, ast.ClassDef):
            yield from _differing(before.body, node.body, watched)
        elif before is None and not isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
            yield node
    yield from (node for node in left.values() if not _is_silent(node, watched))


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
    return _names(node)[1]


def _names(node: ast.expr) -> tuple[str, str]:
    """Return the first and the last name of what is called, or of a dotted name."""
    match node:
        case ast.Call(func=inner):
            return _names(inner)
        case ast.Attribute(value=inner, attr=name):
            return _names(inner)[0], name
        case ast.Name(id=name):
            return name, name
    return "", ""


# --- whose code it was that did something --------------------------------------------------


def _is_ours(root: Path, path: str, node: ast.stmt) -> bool:
    """Tell whether a statement calls nothing of a library, but what is known to keep nothing."""
    called = [_names(part) for part in _called(node)]
    if all(last in _DECORATORS | _CALLS for _, last in called):
        return True
    foreign = _foreign(root, path)
    return not any(first in foreign and last not in _DECORATORS | _CALLS for first, last in called)


def _called(node: ast.stmt) -> Iterator[ast.expr]:
    """Yield what is called as a module or class is made: decorators too."""
    if isinstance(node, Function | ast.ClassDef):
        yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        for inner in node.body:
            yield from _called(inner)
    if not isinstance(node, Function | ast.ClassDef):
        yield from (part for part in ast.walk(node) if isinstance(part, ast.Call))


def _foreign(root: Path, path: str) -> frozenset[str]:
    """Return the names in a file that were imported from outside the tree."""
    module, local = parse(trees.read(root, path)), _local(root)
    found: set[str] = set()
    for node in ast.walk(module) if module else ():
        match node:
            case ast.Import(names=names):
                tops = ((a.asname or a.name, a.name) for a in names)
            case ast.ImportFrom(names=names, module=str(origin), level=0):
                tops = ((a.asname or a.name, origin) for a in names)
            case _:
                continue
        found.update(n.partition(".")[0] for n, top in tops if top.partition(".")[0] not in local)
    return frozenset(found)


@lru_cache(maxsize=4)
def _local(root: Path) -> frozenset[str]:
    return local_modules(root)
