"""A loaded program with other code in some functions, and without some of its names.

That is what importing other files would have given only where what changes did no more, when it
was imported, than define names. Whatever else a change touches, a fresh run must judge.
"""

import ast
import gc
import os
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from . import names

Key = Tuple[str, str, int]
"""A function: its file, its name, its first line."""

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Parts = List["Part"]


class Part(NamedTuple):
    """One thing to change: a function's code, or else what a name of a module or class means."""

    owner: Any
    name: str
    value: Any  # GONE: the name goes; of `__all__`, the names that go from it


GONE = object()


def joined(many: Sequence[Optional[Parts]]) -> Optional[Parts]:
    """Return several changes in one; None if one is none, or two change the same."""
    found: Parts = []
    seen: Set[Tuple[int, str]] = set()
    for parts in many:
        if parts is None:
            return None
        own = {(id(part.owner), part.name) for part in parts if part.name != "__all__"}
        if not seen.isdisjoint(own):
            return None
        seen |= own
        found += parts
    return found


class Program:
    """The modules and functions of the tree that are loaded."""

    def __init__(self, ran: Dict[str, Set[int]]) -> None:
        """`ran` are the lines by file that run when the suite is imported and collected."""
        self.ran = ran
        self.functions: Dict[Key, List[FunctionType]] = {}
        for thing in gc.get_objects():
            if type(thing) is FunctionType:
                self.functions.setdefault(_key(thing.__code__), []).append(thing)
        self.modules: Dict[str, List[ModuleType]] = {}
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if isinstance(path, str) and path.startswith(names.WORKSPACE):
                self.modules.setdefault(path[len(names.WORKSPACE) :], []).append(module)

    def changes(self, files: Dict[str, bytes]) -> Optional[Parts]:
        """Return what makes this program one that had imported `files`; None if nothing does."""
        found: Parts = []
        for path, source in files.items():
            parts = self._file(path, source)
            if parts is None:
                return None
            found += parts
        return found

    def _file(self, path: str, source: bytes) -> Optional[Parts]:
        where = names.WORKSPACE + path
        try:
            with open(where, "rb") as file:
                there = file.read()
            if there == source:
                return []
            if path not in self.modules:
                return None  # it would be imported later, as it is on disk
            old, new = ast.parse(there), ast.parse(source)
            codes = _codes(compile(source, where, "exec", dont_inherit=True))
        except (SyntaxError, ValueError, OSError):
            return None
        return _File(self, path, codes).compared(old.body, new.body, self.modules[path])

    def forget(self, gone: Sequence[Any]) -> None:
        """Take things from whoever imported them, and make what still holds them fail."""
        known = {id(thing) for thing in gone}
        for modules in self.modules.values():
            for module in modules:
                for name, value in list(vars(module).items()):
                    if id(value) in known:
                        setattr(module, name, Missing())
        for thing in gone:
            for function in _functions(thing):
                _spoil(function)

    def apply(self, parts: Parts) -> None:
        """Change the program. There is no way back: it is done in a fork."""
        gone = []
        tables: List[Tuple[Any, Table, Any]] = []
        for owner, name, value in parts:
            if name == "__all__" and value is not GONE:
                left = [one for one in vars(owner)[name] if one not in value]
                setattr(owner, name, type(vars(owner)[name])(left))
            elif isinstance(value, Table):
                tables.append((vars(owner)[name], value, owner))
            elif value is not GONE:
                setattr(owner, name, value)
            elif name in vars(owner):
                thing = vars(owner)[name]
                delattr(owner, name)
                if isinstance(thing, (FunctionType, type, staticmethod, classmethod, property)):
                    gone.append(thing)
        for table, other, owner in tables:
            entries = eval(other.code, vars(owner))  # noqa: S307 -- an expression of the file
            table.clear()
            table.extend(entries) if isinstance(table, list) else table.update(entries)
        self.forget(gone)


class Missing:
    """What stands where something was imported that is gone."""

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Fail."""
        raise NameError("it is gone")

    def __getattr__(self, name: str) -> Any:
        raise NameError("it is gone")


class _File:
    """One file as it was loaded, to be compared with what it might have been."""

    def __init__(self, program: Program, path: str, codes: Dict[Tuple[str, int], Any]) -> None:
        self.program, self.path, self.codes = program, path, codes

    def compared(
        self, old: Iterable[ast.stmt], new: Sequence[ast.stmt], owners: Sequence[Any]
    ) -> Optional[Parts]:
        """Return what makes a block of a module or class the other; None if that cannot be told."""
        found: Parts = []
        left = dict(keyed(old))
        for key, node in keyed(new):
            before = left.pop(key, None)
            parts: Optional[Parts] = []
            if before is None:
                parts = [] if isinstance(node, ast.Pass) else None
            elif isinstance(node, ast.ClassDef) and isinstance(before, ast.ClassDef):
                classes = [vars(owner).get(node.name) for owner in owners]
                whole = all(isinstance(owner, type) for owner in classes)
                parts = self.compared(before.body, node.body, classes) if whole else None
            elif isinstance(node, Function):
                parts = self._exchanged(before, node)
            elif ast.dump(before) != ast.dump(node):
                parts = _other_value(before, node, owners)
            if parts is None:
                return None
            found += parts
        bound = {name for node in new for name in _bound(node) or ()}
        for node in left.values():
            gone = _bound(node)
            if gone is None or not bound.isdisjoint(gone) or not is_silent(node):
                return None
            if not all(_goes_quietly(node, vars(owner).get(name)) for owner in owners
                       for name in gone):  # fmt: skip
                return None
            found += [Part(owner, name, GONE) for owner in owners for name in gone]
        return found

    def _exchanged(self, before: Any, after: Any) -> Optional[Parts]:
        """Return what gives a function another body."""
        if ast.dump(before) == ast.dump(after):
            return []
        ran = self.program.ran.get(self.path, set())
        body = range(before.body[0].lineno, (before.end_lineno or before.lineno) + 1)
        where = (names.WORKSPACE + self.path, before.name, _first(before))
        functions = self.program.functions.get(where, [])
        code = self.codes.get((after.name, _first(after)))
        if not functions or code is None or not ran.isdisjoint(body):
            return None
        for function in functions:
            own = function.__code__
            if own.co_freevars != code.co_freevars or own.co_flags != code.co_flags:
                return None
        return [Part(function, "__code__", code) for function in functions]


def keyed(body: Iterable[ast.stmt]) -> Iterator[Tuple[Tuple[str, int], ast.stmt]]:
    """Yield the statements by what they do when they run, and which of their like they are.

    Each name of an import is a statement.
    """
    seen: Dict[str, int] = {}
    for node in body:
        for single in _singly(node):
            key = _meaning(single)
            seen[key] = seen.get(key, 0) + 1
            yield (key, seen[key]), single


def _singly(node: ast.stmt) -> Iterator[ast.stmt]:
    if isinstance(node, ast.Import):
        yield from (ast.Import([alias]) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (ast.ImportFrom(node.module, [alias], node.level) for alias in node.names)
    else:
        yield node


def _meaning(node: Any) -> str:
    if isinstance(node, Function):
        returns = [node.returns] if node.returns else []
        doc = [node.body[0]] if ast.get_docstring(node, clean=False) is not None else []
        parts = [node.args, *node.decorator_list, *returns, *doc]
        return " ".join([type(node).__name__, node.name, *map(ast.dump, parts)])
    if isinstance(node, ast.ClassDef):
        parts = [*node.bases, *node.keywords, *node.decorator_list]
        return " ".join(["class", node.name, *map(ast.dump, parts)])
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        bound = _bound(node)
        if bound and is_plain(node.value):
            return "= " + " ".join(bound)
    return ast.dump(node)


def _bound(node: Any) -> Optional[List[str]]:
    """Return the names that a statement binds, if it does nothing else."""
    if isinstance(node, (*Function, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
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


def _other_value(before: Any, after: Any, owners: Sequence[Any]) -> Optional[Parts]:
    """Return what takes names from `__all__`, or gives a table other entries."""
    if _bound(after) == ["__all__"]:
        try:
            old, new = (set(ast.literal_eval(node.value)) for node in (before, after))
        except (ValueError, TypeError):
            return None
        return [Part(owner, "__all__", old - new) for owner in owners] if new < old else None
    found: Parts = []
    for owner in owners:
        for name in _bound(after) or ():
            if type(vars(owner).get(name)) not in (list, dict, set) or isinstance(owner, type):
                return None
            code = compile(ast.Expression(after.value), "<table>", "eval", dont_inherit=True)
            found.append(Part(owner, name, Table(code)))
    return found


class Table(NamedTuple):
    """The expression of a table, which is filled anew where it is: others hold it too."""

    code: CodeType


# --- what only defines ----------------------------------------------------------------------------

_DECORATORS = {
    "abstractmethod", "asynccontextmanager", "cache", "cached_property", "classmethod",
    "contextmanager", "dataclass", "final", "lru_cache", "overload", "override", "property",
    "staticmethod", "total_ordering", "wraps",
}  # fmt: skip
_CALLS = {
    "NewType", "ParamSpec", "TypeVar", "cast", "compile", "dict", "field", "format", "frozenset",
    "getLogger", "globals", "join", "list", "namedtuple", "object", "set", "tuple",
}  # fmt: skip
_METACLASSES = ("builtins", "abc", "enum", "typing")


def is_silent(node: Any) -> bool:
    """Tell whether nobody notices that a statement is not run, but who wants its names."""
    if isinstance(node, ast.ClassDef):
        return all(is_silent(child) for child in node.body)
    value = getattr(node, "value", None)
    return not isinstance(node, (ast.Assign, ast.AnnAssign)) or value is None or is_plain(value)


def is_plain(value: ast.expr) -> bool:
    """Tell whether an expression has no effect besides its value."""
    return all(
        _last_name(node) in _CALLS
        for node in ast.walk(value)
        if isinstance(node, (ast.Call, ast.Await, ast.NamedExpr))
    )


def _goes_quietly(node: Any, thing: Any) -> bool:
    """Tell whether a definition is known to nobody but those that name it."""
    if isinstance(node, (*Function, ast.ClassDef)):
        odd = [d for d in node.decorator_list if _last_name(d) not in _DECORATORS]
        if odd and not _is_held_by_names(thing):
            return False
    if not isinstance(node, ast.ClassDef):
        return True
    if not isinstance(thing, type) or type(thing).__module__ not in _METACLASSES:
        return False
    watching = getattr(thing.__init_subclass__, "__func__", None)
    return watching is None or watching.__module__.partition(".")[0] in _METACLASSES


def _is_held_by_names(thing: Any) -> bool:
    """Tell whether only modules and classes hold a thing, and no table where it is registered."""
    spaces = {id(vars(module)) for module in list(sys.modules.values()) if module is not None}
    for holder in gc.get_referrers(thing):
        if isinstance(holder, (dict, list, set, tuple)) and id(holder) not in spaces:
            inside = holder.values() if isinstance(holder, dict) else holder
            own = isinstance(holder, dict) and "__module__" in holder and "__doc__" in holder
            if not own and any(one is thing for one in inside):
                return False
    return True


def _last_name(node: Any) -> str:
    while isinstance(node, ast.Call):
        node = node.func
    return str(getattr(node, "attr", getattr(node, "id", "")))


# --- code -----------------------------------------------------------------------------------------


def _key(code: CodeType) -> Key:
    return code.co_filename, code.co_name, code.co_firstlineno


def _first(node: Any) -> int:
    return int(min(n.lineno for n in (node, *node.decorator_list)))


def _codes(code: CodeType) -> Dict[Tuple[str, int], Optional[CodeType]]:
    """Return the code objects in another by name and first line; None for more than one."""
    found: Dict[Tuple[str, int], Optional[CodeType]] = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            key = (inner.co_name, inner.co_firstlineno)
            found[key] = None if key in found else inner
            for deeper, one in _codes(inner).items():
                found[deeper] = None if deeper in found else one
    return found


def _functions(thing: Any) -> Iterator[FunctionType]:
    """Yield the functions that a function, method, property or class is made of."""
    if isinstance(thing, FunctionType):
        yield thing
    elif isinstance(thing, (staticmethod, classmethod)):
        yield from _functions(thing.__func__)
    elif isinstance(thing, property):
        for part in (thing.fget, thing.fset, thing.fdel):
            yield from _functions(part)
    elif isinstance(thing, type):
        for part in list(vars(thing).values()):
            if not isinstance(part, type):
                yield from _functions(part)


def _spoil(function: FunctionType) -> None:
    """Make a function fail when it is called by whoever still holds it."""
    cells = function.__code__.co_freevars
    lines = ["def around(%s):" % ", ".join(cells), " def gone(*_, **__):"]
    lines += ["  (%s)" % ", ".join((*cells, "")) if cells else "  ()"]
    lines += ["  raise NameError('it is gone')", " return gone"]
    space: Dict[str, Any] = {}
    exec("\n".join(lines), space)  # noqa: S102 -- the text above, and names of variables
    code = next(c for c in space["around"].__code__.co_consts if isinstance(c, CodeType))
    function.__code__ = code


# --- what the disk decides ------------------------------------------------------------------------

SPAWNING = {
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system",
    "subprocess.Popen",
}  # fmt: skip


def watch(changed: Iterable[str]) -> List[str]:
    """Note from now on, in the list that is returned, what the tree on disk decides.

    That is other processes, and reading the files that are other in memory.
    """
    doubts: List[str] = []
    files = {names.WORKSPACE + path for path in changed}

    def hook(event: str, arguments: Tuple[Any, ...]) -> None:
        named = event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike))
        if event in SPAWNING or (named and os.path.abspath(os.fsdecode(arguments[0])) in files):
            doubts.append(event)

    sys.addaudithook(hook)
    return doubts
