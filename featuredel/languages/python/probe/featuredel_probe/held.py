"""What modules hold once they are imported: everything with a name that code could have written to.

It reads modules from standard input, imports them, and walks from their globals through
containers, classes, closures and objects. It reports a list of triples: a path, the names that
code would use to get there, and a digest of what is in it.
"""

import collections
import contextlib
import functools
import hashlib
import importlib
import json
import os
import sys
import types
from typing import Any, Deque, Dict, Iterable, Iterator, List, Set, Tuple

from .names import REPORT_FD, WORKSPACE

SIMPLE = (type(None), bool, int, float, complex, str, bytes)
FLAT = (list, tuple, set, frozenset, collections.deque)
MOST = 2_000_000
"""Objects that are looked at; where there are more, nothing is told."""

_CALLED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_WRAPPERS = (property, classmethod, staticmethod, types.MethodType, functools.partial)
_WRAPPED = ("fget", "__func__", "__self__", "func", "args", "keywords")


class Walk:
    """Walks through what modules hold, the nearest first, each object once."""

    def __init__(self, inside: Set[str]) -> None:
        """`inside` are the names of the modules whose classes are looked into."""
        self.inside = inside
        self._seen: Dict[int, Any] = {}  # alive, so that no other object gets its identity
        self._next: Deque[Tuple[Any, str, str]] = collections.deque()

    def through(self, modules: Iterable[types.ModuleType]) -> Iterator[Tuple[str, str, str]]:
        """Yield paths, their names and what is there."""
        for module in modules:
            self._add_named(vars(module), module.__name__)
        while self._next:
            if len(self._seen) > MOST:
                raise OverflowError("more than %d objects" % MOST)
            value, path, name = self._next.popleft()
            if isinstance(value, SIMPLE):
                yield path, name, _text(value)
            elif id(value) not in self._seen:
                self._seen[id(value)] = value
                yield from self._held(value, path, name)

    def _held(self, value: Any, path: str, name: str) -> Iterator[Tuple[str, str, str]]:
        if isinstance(value, (dict, types.MappingProxyType)):
            yield path, name, " ".join(sorted("%s=%s" % pair for pair in self._pairs(value)))
            for key, inner in list(value.items()):
                self._add(inner, "%s[%s]" % (path, _text(key)), name)
        elif isinstance(value, FLAT):
            texts = [_text(inner) for inner in list(value)]
            ordered = sorted(texts) if isinstance(value, (set, frozenset)) else texts
            yield path, name, " ".join(ordered)
            for number, inner in enumerate(list(value)):
                self._add(inner, "%s[%d]" % (path, number), name)
        elif isinstance(value, type):
            if value.__module__ in self.inside:
                known: List[type] = type.__subclasses__(value)
                heirs = sorted(heir.__qualname__ for heir in known)
                yield path + ".__subclasses__", "__subclasses__", " ".join(heirs)
                self._add_named(vars(value), path)
        elif isinstance(value, types.FunctionType):
            self._add_named(vars(value), path, name + " ")  # who calls it does not name them
            inside = (value.__defaults__, value.__kwdefaults__, *_cells(value))
            for number, inner in enumerate(inside):
                self._add(inner, "%s(%d)" % (path, number), name)
        elif not isinstance(value, types.ModuleType):
            yield from self._attributes(value, path, name)

    def _pairs(self, value: Any) -> Iterator[Tuple[str, str]]:
        return ((_text(key), _text(inner)) for key, inner in list(value.items()))

    def _attributes(self, value: Any, path: str, name: str) -> Iterator[Tuple[str, str, str]]:
        """Look into any other object; the project's own are asked by the names of attributes."""
        own = type(value).__module__ in self.inside
        found = _fields(value)
        yield path, name, "%s %s" % (type(value).__qualname__, " ".join(sorted(found)))
        for key in sorted(found):
            if not key.startswith("__"):
                self._add(found[key], "%s.%s" % (path, key), key if own else name)

    def _add_named(self, names: Any, path: str, owner: str = "") -> None:
        for key, value in sorted(names.items(), key=lambda pair: str(pair[0])):
            if isinstance(key, str) and not key.startswith("__"):
                self._add(value, "%s.%s" % (path, key), owner + key)

    def _add(self, value: Any, path: str, name: str) -> None:
        self._next.append((value, path, name))


def _cells(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # empty so far
            yield cell.cell_contents


def _fields(value: Any) -> Dict[str, Any]:
    """Return what an object holds by name, without running any code of its class."""
    found: Dict[str, Any] = {}
    for kind in type(value).__mro__:
        for key, member in vars(kind).items():
            if isinstance(member, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):
                    found[key] = member.__get__(value, kind)
    with contextlib.suppress(AttributeError, TypeError):
        found.update(object.__getattribute__(value, "__dict__"))
    for key in _WRAPPED if isinstance(value, _WRAPPERS) else ():
        with contextlib.suppress(AttributeError):
            found[key.strip("_")] = object.__getattribute__(value, key)
    return {key: inner for key, inner in found.items() if isinstance(key, str)}


def _text(value: Any) -> str:
    """Return what stands for a value: itself if it is simple, else what it is called."""
    if isinstance(value, SIMPLE):
        return repr(value)
    if isinstance(value, tuple):
        return "(%s)" % ",".join(map(_text, value))
    name = getattr(value, "__qualname__", None) if isinstance(value, _CALLED) else None
    return name if isinstance(name, str) else type(value).__qualname__


def main() -> None:
    """Import what is asked for and report what is held."""
    for _, root, name in json.load(sys.stdin):
        if root not in sys.path:
            sys.path.insert(0, root)
        with contextlib.suppress(BaseException):
            importlib.import_module(name)
    own = {
        name: module
        for name, module in list(sys.modules.items())
        if str(getattr(module, "__file__", None)).startswith(WORKSPACE)
    }
    found = [
        [path, name, hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]]
        for path, name, text in Walk(set(own)).through(own[name] for name in sorted(own))
    ]
    with os.fdopen(REPORT_FD, "w") as report:
        json.dump(found, report)
        report.flush()
        os._exit(0)  # what else runs at the end of a program could take for ever


if __name__ == "__main__":
    main()
