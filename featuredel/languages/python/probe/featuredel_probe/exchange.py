"""Giving a loaded program other code, and taking names from it, with a way back."""

import sys
from types import CodeType, FunctionType
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence

GONE, DROPPED, UNLOADED = object(), object(), object()
"""A definition goes; or a name, and what it was imported for stays; or a module itself."""


class Part(NamedTuple):
    """One thing to change: a function's code, or else what a name of a module or class means."""

    owner: Any
    name: str
    value: Any  # a constant, GONE, ..., Table, Absent; of `__all__`, a set of what goes from it


Parts = List[Part]


class Table(NamedTuple):
    """The expression of a table, which is filled anew where it is: others hold it too."""

    code: CodeType


class Absent:
    """What stands in a test module for what it imports and is not there: every use fails."""

    def __init__(self, label: str) -> None:
        self.__dict__["_label"] = label

    def __repr__(self) -> str:
        return str(self.__dict__["_label"])

    def __hash__(self) -> int:
        return 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _fail(self)


def _fail(self: Any, *_: Any, **__: Any) -> Any:
    raise ImportError("%r is not implemented" % self)


_USES = (
    "eq ne lt le gt ge call iter len bool contains getitem setitem delitem setattr delattr enter "
    "exit int float complex index str bytes format fspath reversed round neg pos abs invert "
    "instancecheck subclasscheck mro_entries copy deepcopy reduce_ex "
    "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or "
    "radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror"
)
for _name in _USES.split():
    setattr(Absent, "__%s__" % _name, _fail)


class Exchange:
    """Changes a program, and changes it back."""

    def __init__(self) -> None:
        self._back: List[Callable[[], None]] = []

    def apply(self, parts: Sequence[Part]) -> None:
        """Make the changes."""
        tables = [part for part in parts if isinstance(part.value, Table)]
        for part in parts:
            if part.value is GONE:
                for function in _functions(self._take(part.owner, part.name)):
                    self._set(function, "__code__", _spoiled(function))
            elif part.value is DROPPED:
                self._take(part.owner, part.name)
            elif part.value is UNLOADED:
                self._unload(part.owner, part.name)
            elif part.name == "__all__":
                names = vars(part.owner)["__all__"]
                left = type(names)(name for name in names if name not in part.value)
                self._set(part.owner, "__all__", left)
            elif not isinstance(part.value, Table):
                self._set(part.owner, part.name, part.value)
        for owner, name, table in tables:
            around = vars(sys.modules[owner.__module__] if isinstance(owner, type) else owner)
            entries = eval(table.code, around, dict(vars(owner)))  # noqa: S307 -- the file's own
            there = vars(owner)[name]
            before = there.copy()
            _fill(there, entries)
            self._back.append(lambda there=there, before=before: _fill(there, before))  # type: ignore[misc]

    def undo(self) -> None:
        """Take all changes back, the last one first."""
        while self._back:
            self._back.pop()()

    def _take(self, owner: Any, name: str) -> Any:
        thing = vars(owner).get(name)
        if name in vars(owner):
            delattr(owner, name)
            self._back.append(lambda: setattr(owner, name, thing))
        return thing

    def _unload(self, module: Any, name: str) -> None:
        sys.modules[name] = None  # type: ignore[assignment]  # which an import finds missing
        self._back.append(lambda: sys.modules.__setitem__(name, module))

    def _set(self, owner: Any, name: str, value: Any) -> None:
        before = owner.__code__ if name == "__code__" else vars(owner)[name]
        setattr(owner, name, value)
        self._back.append(lambda: setattr(owner, name, before))


def _fill(table: Any, entries: Any) -> None:
    table.clear()
    table.extend(entries) if isinstance(table, list) else table.update(entries)


def _functions(thing: Any, within: Optional[type] = None) -> Iterator[FunctionType]:
    """Yield the functions that a function, method, property or class is made of."""
    if isinstance(thing, FunctionType):
        if within is None or thing.__qualname__.startswith(within.__qualname__ + "."):
            yield thing
    elif isinstance(thing, (staticmethod, classmethod)):
        yield from _functions(thing.__func__, within)
    elif isinstance(thing, property):
        for part in (thing.fget, thing.fset, thing.fdel):
            yield from _functions(part, within)
    elif isinstance(thing, type) and within is None:
        for part in list(vars(thing).values()):
            yield from _functions(part, thing)


def _spoiled(function: FunctionType) -> CodeType:
    """Return code that makes a function fail when it is called by whoever still holds it."""
    cells = function.__code__.co_freevars
    lines = ["def around(%s):" % ", ".join(cells), " def gone(*_, **__):"]
    lines += ["  (%s)" % ", ".join((*cells, "")) if cells else "  ()"]
    lines += ["  raise NameError('it is gone')", " return gone"]
    space: dict = {}  # type: ignore[type-arg]
    exec("\n".join(lines), space)  # noqa: S102 -- the text above, and names of variables
    return next(c for c in space["around"].__code__.co_consts if isinstance(c, CodeType))
