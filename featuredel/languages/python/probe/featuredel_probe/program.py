"""A loaded program with other code in some functions, and without some of its names.

That is what importing other files would have given only where what changes did no more, when it
was imported, than define names, and where nothing that stays named it while it was imported.
Whatever else a change touches, a fresh run must judge.
"""

import gc
import os
import sys
from types import FunctionType, ModuleType
from typing import Dict, Iterable, List, Optional, Sequence, Set

from . import names
from .compared import Comparison, Key, NotTold, key_of
from .exchange import DROPPED, GONE, UNLOADED, Absent, Part, Parts, Table
from .import_time import ImportTime, Sources


class Program:
    """The modules and functions of the tree that are loaded."""

    def __init__(self, ran: Dict[str, Set[int]]) -> None:
        """`ran` are the lines by file that run when the suite is imported and collected."""
        self.ran = ran
        self.functions: Dict[Key, List[FunctionType]] = {}
        for thing in gc.get_objects():
            if type(thing) is FunctionType:
                self.functions.setdefault(key_of(thing.__code__), []).append(thing)
        self.modules: Dict[str, List[ModuleType]] = {}
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if isinstance(path, str) and path.startswith(names.WORKSPACE) and path.endswith(".py"):
                self.modules.setdefault(path[len(names.WORKSPACE) :], []).append(module)
        packages = {path: vars(some[0]).get("__package__") for path, some in self.modules.items()}
        self.sources = Sources({path: one or "" for path, one in packages.items()}, names.WORKSPACE)

    def changes(self, files: Dict[str, Optional[bytes]], hidden: Sequence[str]) -> Parts:
        """Return what makes this program one that had imported `files`; None is no file.

        In the test modules `hidden` something that fails stands for what they import and is gone.
        Raises `NotTold` where no change makes it that.
        """
        removed = [path for path, source in files.items() if source is None]
        python = {path: text or b"" for path, text in files.items() if path in self.modules}
        for path in files.keys() - python.keys():
            if not os.path.lexists(names.WORKSPACE + path):
                raise NotTold(
                    "%s is new" % path
                )  # else a run that imports it opens it, and is void
        found: Parts = []
        try:
            for path, source in python.items():
                found += self._file(path, source)
            found += self._unloaded(removed, python, set(hidden))
            found += self._starred(found, python)
            return found + self._absent(found, python, set(hidden))
        except (SyntaxError, ValueError, OSError, RecursionError) as error:
            raise NotTold(type(error).__name__) from error

    def _file(self, path: str, source: bytes) -> Parts:
        there = self.sources.text(path)
        if there == source:
            return []
        ran = self.ran.get(path, set())
        old, new, around = self.sources.changed(path, source)
        comparison = Comparison(self.functions, ran, path, old, new, around)
        return comparison.changes(self.modules[path])

    def _unloaded(self, removed: Sequence[str], files: Dict[str, bytes], hidden: Set[str]) -> Parts:
        """Return what takes whole modules away, which hold nothing any more."""
        found: Parts = []
        for path in removed:
            if path in self.modules and path.endswith("/__init__.py"):
                raise NotTold("%s is a package" % path)
            for module in self.modules.get(path, []):
                parent, _, last = module.__name__.rpartition(".")
                for other, one in self.sources.naming({last}, files).items():
                    if module.__name__ in one.imported and other not in hidden:
                        raise NotTold("%s imports %s" % (other, module.__name__))
                if parent in sys.modules:
                    found.append(Part(sys.modules[parent], last, DROPPED))
                found.append(Part(module, module.__name__, UNLOADED))
        return found

    def _starred(self, parts: Parts, files: Dict[str, bytes]) -> Parts:
        """Return what goes from modules that import all of one where it goes."""
        added: Parts = []
        stars = {
            path: one.stars
            for path, one in self.sources.naming({"import *"}, files).items()
            if one.stars
        }
        waiting = _named(parts)
        _check_lists(parts, waiting, stars.values())
        while waiting:
            gone = waiting.pop()
            for path, modules in stars.items():
                for module in self.modules[path] if gone.owner.__name__ in modules else ():
                    thing = vars(gone.owner).get(gone.name)
                    known = any(p.owner is module and p.name == gone.name for p in parts + added)
                    if thing is not None and vars(module).get(gone.name) is thing and not known:
                        added.append(Part(module, gone.name, DROPPED))
                        waiting.append(added[-1])
        return added

    def _absent(self, parts: Parts, files: Dict[str, bytes], hidden: Set[str]) -> Parts:
        """Return what stands in test modules for what is gone.

        Raises `NotTold` if something that stays names what is gone while it is imported.
        """
        added: Parts = []
        gone = {(part.owner.__name__, part.name) for part in _named(parts)}
        changed = [part for part in parts if part.name not in ("__code__", "__all__")]
        named = self.sources.naming({part.name for part in changed}, files)
        for path, one in named.items():
            other = {(p.owner.__name__, p.name): p.value for p in changed if _is_constant(p)}
            for part in changed:
                _check_unnamed(part, one, path in files)
            if any(module in one.stars for module, _ in other):
                raise NotTold("%s imports all" % path)
            for module, name, here in one.taken:
                if (module, name) in other and here not in one.loads:
                    added += [Part(m, here, other[module, name]) for m in self.modules[path]]
                elif (module, name) in other:
                    raise NotTold("%s imports %s" % (path, name))
                if (module, name) not in gone:
                    continue
                if path not in hidden or here in one.loads:
                    raise NotTold("%s imports %s" % (path, name))
                added += [Part(m, here, Absent(name)) for m in self.modules[path]]
        unloaded = {part.name for part in parts if part.value is UNLOADED}
        self._check_imported(unloaded, files)
        return added

    def _check_imported(self, unloaded: Set[str], files: Dict[str, bytes]) -> None:
        """Raise `NotTold` if any other module of the tree would not be imported at all."""
        for path in files:
            old = self.sources.at_import(path, self.sources.text(path)).imported
            for module in old - unloaded - self.sources.at_import(path, files[path]).imported:
                where = getattr(sys.modules.get(module), "__file__", None) or ""
                if where.startswith(names.WORKSPACE):
                    others = self.sources.naming({module.rpartition(".")[2]}, files)
                    if not any(module in other.imported for other in others.values()):
                        raise NotTold("nothing imports %s" % module)


def _named(parts: Parts) -> Parts:
    """Return what goes from modules."""
    return [
        part
        for part in parts
        if isinstance(part.owner, ModuleType) and (part.value is GONE or part.value is DROPPED)
    ]


def _is_constant(part: Part) -> bool:
    """Tell whether a name of a module comes to mean a constant."""
    kinds = (str, bytes, int, float, complex, type(None), type(Ellipsis))
    return isinstance(part.owner, ModuleType) and isinstance(part.value, kinds)


def _check_lists(parts: Parts, gone: Parts, stars: Iterable[Set[str]]) -> None:
    """Raise `NotTold` if somebody imports all that a module lists, and it lists less of it."""
    going = {(part.owner.__name__, part.name) for part in gone}
    for part in parts:
        if part.name == "__all__" and any(part.owner.__name__ in some for some in stars):
            left = [name for name in part.value if (part.owner.__name__, name) not in going]
            if left:
                raise NotTold("another __all__")


def _check_unnamed(part: Part, module: ImportTime, own: bool) -> None:
    """Raise `NotTold` if a module names, while it is imported, what changes."""
    if part.value is DROPPED or part.value is UNLOADED:
        return
    calls = isinstance(part.value, Table) or not isinstance(
        vars(part.owner).get(part.name), (FunctionType, staticmethod, classmethod, property)
    )
    loads = module.loads if calls else module.fetched
    if "." + part.name in loads or (own and part.name in loads):
        raise NotTold("%s is named at import" % part.name)
