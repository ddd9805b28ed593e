"""A file as it was loaded, compared with what it might have been, statement by statement."""

import ast
import gc
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from . import classes, names
from .exchange import DROPPED, GONE, Part, Parts, Table
from .statements import (
    DECORATORS,
    Function,
    Import,
    Text,
    bound,
    first_line,
    functions,
    is_silent,
    last_name,
)

Key = Tuple[str, str, int]
"""A function: its file, its name, its first line."""

_NESTED = 0x10 | 0x40
"""Flags of code that stands in other code, and of code that uses nothing of it."""

Loaded = Dict[Key, List[FunctionType]]


class NotTold(Exception):  # noqa: N818 -- no error
    """Only a run of its own tells what a change would do; the message says why."""


class Comparison:
    """One loaded file, and another text for it."""

    def __init__(
        self, loaded: Loaded, ran: Set[int], path: str, old: Text, new: Text,
        around: Iterable[ast.stmt],
    ) -> None:  # fmt: skip
        """`ran` are the file's lines that run when the suite is imported and collected.

        The statements `around` are the same in both.
        """
        self.loaded, self.ran, self.path = loaded, ran, path
        self.old, self.new = old, new
        self.around = {name for node in around for name in bound(node) or ()}
        self.codes: Dict[Tuple[str, int], Optional[CodeType]] = {}

    def changes(self, owners: Sequence[Any]) -> Parts:
        """Return what makes the modules `owners` what they would be. Raises `NotTold`."""
        return self._parts(self.old.body, self.new.body, owners, ())

    def _parts(
        self, old: Iterable[ast.stmt], new: Sequence[ast.stmt], owners: Sequence[Any],
        decorators: Sequence[str],
    ) -> Parts:  # fmt: skip
        """Return what makes a block of a module or class the other."""
        found: Parts = []
        left = dict(self.old.keyed(old))
        for key, node in self.new.keyed(new):
            before = left.pop(key, None)
            if before is None:
                if not isinstance(node, ast.Pass):
                    raise NotTold("new at line %d" % getattr(node, "lineno", 0))
            elif self._is_same(before, node):
                continue
            elif isinstance(node, ast.ClassDef) and isinstance(before, ast.ClassDef):
                found += self._class(before, node, owners, key[1])
            elif isinstance(node, Function):
                found += self._exchanged(before, node)
            else:
                found += _other_value(before, node, owners)
        there = {name for node in new for name in bound(node) or ()}
        if all(isinstance(owner, ModuleType) for owner in owners):
            there |= self.around
        for node in left.values():
            found += self._without(node, owners, there, decorators)
        return found

    def _is_same(self, before: Any, after: Any) -> bool:
        if isinstance(after, Import):
            return True  # as the key says
        return self.old.written(before) == self.new.written(after)

    def _class(self, before: Any, after: Any, owners: Sequence[Any], number: int) -> Parts:
        there = [vars(owner).get(after.name) for owner in owners]
        if number > 1 or not all(isinstance(one, type) for one in there):
            raise NotTold("not the class %s" % after.name)
        decorators = [last_name(one) for one in after.decorator_list]
        return self._parts(before.body, after.body, there, decorators)

    def _exchanged(self, before: Any, after: Any) -> Parts:
        """Return what gives a function another body."""
        self._check_idle(before)
        where = (names.WORKSPACE + self.path, before.name, first_line(before))
        there = self.loaded.get(where, [])
        if not self.codes:
            self.codes = codes(self.new.compiled(names.WORKSPACE + self.path))
        code = self.codes.get((after.name, first_line(after)))
        if not there or code is None:
            raise NotTold("not the function %s" % after.name)
        return [Part(function, "__code__", _fitting(code, function)) for function in there]

    def _check_idle(self, node: Any) -> None:
        """Raise `NotTold` for a function that was called while the suite was imported."""
        body = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
        if not self.ran.isdisjoint(body):
            raise NotTold("%s runs at import" % node.name)

    def _without(
        self, node: Any, owners: Sequence[Any], there: Set[str], decorators: Sequence[str]
    ) -> Parts:
        """Return what takes the names of a statement away; `there` are bound all the same."""
        gone = bound(node)
        if gone is None or not is_silent(node):
            raise NotTold("line %d does something" % getattr(node, "lineno", 0))
        if not there.isdisjoint(gone):
            raise NotTold("%s has other values" % ", ".join(gone))
        for function in functions(node):
            self._check_idle(function)
        for owner in owners:
            for name in gone:
                self._check_quiet(node, owner, name, decorators)
        value = DROPPED if isinstance(node, Import) else GONE
        return [Part(owner, name, value) for owner in owners for name in gone]

    def _check_quiet(self, node: Any, owner: Any, name: str, decorators: Sequence[str]) -> None:
        """Raise `NotTold` for a definition that others than those who name it know of."""
        thing = vars(owner).get(name)
        if isinstance(node, (*Function, ast.ClassDef)):
            odd = [one for one in node.decorator_list if last_name(one) not in DECORATORS]
            if odd and not _is_held_by_names(thing):
                raise NotTold("%s is registered" % name)
        if isinstance(node, ast.ClassDef) and not classes.is_made_plainly(thing):
            raise NotTold("the class %s was noticed" % name)
        if isinstance(owner, type):
            why = classes.why_not(owner, name, isinstance(node, Function), decorators)
            if why:
                raise NotTold("%s: %s" % (name, why))


def _other_value(before: Any, after: Any, owners: Sequence[Any]) -> Parts:
    """Return what takes names from `__all__`, or gives a table other entries."""
    if bound(after) == ["__all__"]:
        try:
            old, new = (set(ast.literal_eval(node.value)) for node in (before, after))
        except (ValueError, TypeError) as error:
            raise NotTold("another __all__") from error
        if not new < old:
            raise NotTold("another __all__")
        return [Part(owner, "__all__", old - new) for owner in owners]
    found: Parts = []
    for owner in owners:
        for name in bound(after) or ():
            if isinstance(owner, type) and classes.why_not(owner, name, False, ()):
                raise NotTold("%s has another value" % name)
            found.append(Part(owner, name, _value(vars(owner).get(name), after.value, name)))
    return found


def _value(before: Any, after: ast.expr, name: str) -> Any:
    if isinstance(after, ast.Constant):
        return after.value
    if type(before) not in (list, dict, set):
        raise NotTold("%s has another value" % name)
    return Table(compile(ast.Expression(after), "<table>", "eval", dont_inherit=True))


def _fitting(code: CodeType, function: FunctionType) -> CodeType:
    """Return code for a function that may hold more variables of what is around it than it uses."""
    own = function.__code__
    used, held = code.co_freevars, own.co_freevars
    if held[: len(used)] != used or (own.co_flags ^ code.co_flags) & ~_NESTED:
        raise NotTold("%s is of another kind" % own.co_name)
    flags = code.co_flags | (own.co_flags & _NESTED)
    return code if used == held else code.replace(co_freevars=held, co_flags=flags)


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


def key_of(code: CodeType) -> Key:
    """Return which function a code is of."""
    return code.co_filename, code.co_name, code.co_firstlineno


def codes(code: CodeType) -> Dict[Tuple[str, int], Optional[CodeType]]:
    """Return the code objects in another by name and first line; None for more than one."""
    found: Dict[Tuple[str, int], Optional[CodeType]] = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            key = (inner.co_name, inner.co_firstlineno)
            found[key] = None if key in found else inner
            for deeper, one in codes(inner).items():
                found[deeper] = None if deeper in found else one
    return found
