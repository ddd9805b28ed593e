"""Runs of tests that were collected once, each in a fork with other code in some functions.

A fork is given what a file with other function bodies would have given it: the functions that are
there get the code that the file's text compiles to. That is the same as importing the file only
where nothing of it ran when it was imported, so whatever else a change touches makes it one that
a fresh run must judge; so does a run that looks at the files on disk, or starts another process,
and whatever a run leaves behind that cannot be cleared away.
"""

import ast
import base64
import dis
import gc
import os
import shutil
import sys
import tempfile
import threading
import time
from types import CodeType, FunctionType
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import pytest

from . import names, private
from .processes import cpu_s, end_all, waited
from .report import Report

NOT_THE_SAME = 71
"""The exit code of a fork that may not have seen what it should."""

SPAWNING = {
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system",
    "subprocess.Popen",
}  # fmt: skip
CO_OPTIMIZED = 0x1  # of functions, not of modules and the bodies of classes

Key = Tuple[str, str, int]
"""A function: its file, its name, its first line."""


class Variants:
    """Runs the tests in forks where pytest would run them once."""

    def __init__(self, job: Dict[str, Any]) -> None:
        self.variants: List[Dict[str, str]] = job["variants"]
        self.ran: Dict[str, Set[int]] = {path: set(lines) for path, lines in job["ran"].items()}
        self.wall_s: float = job["wall_s"]
        self.places = [job["trees"] + "/changes", *job["scratch"]]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        """Run each variant, and report it as one record."""
        probe = session.config.pluginmanager.get_plugin("featuredel")
        program = Program(self.ran)
        if session.testsfailed or threading.active_count() > 1 or not private.overlaid():
            return True
        private.adopt()
        before = traces(self.places)
        gc.collect()
        gc.freeze()
        for number, files in enumerate(self.variants):
            changes = program.changes(
                {path: base64.b64decode(text) for path, text in files.items()}
            )
            if changes is None:
                continue
            told = self._run(session, probe, set(files), changes)
            if told is not None:
                probe.report.send("variant", number, *told)
            if not restored(self.places, before):
                break
        return True

    def _run(
        self, session: Any, probe: Any, changed: Set[str],
        changes: List[Tuple[FunctionType, CodeType]],
    ) -> Optional[Tuple[str, Optional[int], float, float, str]]:  # fmt: skip
        with tempfile.TemporaryFile() as report:
            began_s, before_s = time.monotonic(), cpu_s()
            child = os.fork()
            if child == 0:
                code = 70
                try:
                    os.setsid()
                    os.dup2(report.fileno(), names.REPORT_FD)
                    for function, other in changes:
                        function.__code__ = other
                    doubts = watch(changed)
                    probe.begin_again(Report(names.REPORT_FD))
                    _loop(session)
                    probe.report.send("end", probe.why)
                    code = NOT_THE_SAME if doubts else 0
                finally:
                    os._exit(code)
            status = waited(child, began_s + self.wall_s)
            end_all(child)
            report.seek(0)
            text = report.read().decode("utf-8", "backslashreplace")
            used = (time.monotonic() - began_s, cpu_s() - before_s)
        if status is None:
            return ("timeout", None, *used, text)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == NOT_THE_SAME:
            return None
        killed = os.WIFSIGNALED(status)
        return ("exited", -os.WTERMSIG(status) if killed else os.WEXITSTATUS(status), *used, text)


def watch(changed: Set[str]) -> List[str]:
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


def _loop(session: Any) -> None:
    from _pytest.main import pytest_runtestloop

    pytest_runtestloop(session)


# --- other code for functions that are there ------------------------------------------------------


class Program:
    """The functions of the tree that are loaded."""

    def __init__(self, ran: Dict[str, Set[int]]) -> None:
        """`ran` are the lines by file that run when the suite is imported and collected."""
        self.ran = ran
        self.functions: Dict[Key, List[FunctionType]] = {}
        for thing in gc.get_objects():
            if type(thing) is FunctionType:
                self.functions.setdefault(_key(thing.__code__), []).append(thing)

    def changes(self, files: Dict[str, bytes]) -> Optional[List[Tuple[FunctionType, CodeType]]]:
        """Return what makes this program one that had imported `files`; None if nothing does."""
        found: List[Tuple[FunctionType, CodeType]] = []
        for path, source in files.items():
            where = names.WORKSPACE + path
            try:
                with open(where, "rb") as file:
                    there = file.read()
                if outline(there) != outline(source):
                    return None
                old = compile(there, where, "exec", dont_inherit=True)
                new = compile(source, where, "exec", dont_inherit=True)
            except (SyntaxError, ValueError, OSError):
                return None
            for one, other in differing(old, new):
                functions = self.functions.get(_key(one), [])
                if other is None or not functions or _lines(one) & self.ran.get(path, set()):
                    return None
                if any(
                    len(function.__closure__ or ()) != len(other.co_freevars)
                    or one.co_freevars != other.co_freevars
                    or function.__code__ != one
                    for function in functions
                ):
                    return None
                found += [(function, other) for function in functions]
        return found


def outline(source: bytes) -> str:
    """Return a file without what its functions do when they are called."""
    return ast.dump(_Outline().visit(ast.parse(source)))


class _Outline(ast.NodeTransformer):
    def visit(self, node: Any) -> Any:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
            return node
        return self.generic_visit(node)


def differing(old: CodeType, new: CodeType) -> Iterator[Tuple[CodeType, Optional[CodeType]]]:
    """Yield the outermost functions that differ, of two files with the same outline.

    With None, what cannot be told to be the same.
    """
    if _meaning(old) == _meaning(new):
        return
    if old.co_flags & CO_OPTIMIZED:
        yield old, new if new.co_flags == old.co_flags else None
        return
    inner = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
    if len(inner[0]) != len(inner[1]):
        yield old, None
        return
    for one, other in zip(*inner):
        if _signature(one) != _signature(other):
            yield one, None
        else:
            yield from differing(one, other)


def _meaning(code: CodeType) -> Tuple[Any, ...]:
    """Return what code does, wherever it stands: other code may have moved it by some lines."""
    constants = [
        _meaning(c) if isinstance(c, CodeType) else (type(c), repr(c)) for c in code.co_consts
    ]
    table = getattr(code, "co_exceptiontable", b"")
    return (*_signature(code), code.co_flags, code.co_code, code.co_names, code.co_varnames,
            code.co_freevars, code.co_cellvars, table, constants)  # fmt: skip


def _signature(code: CodeType) -> Tuple[Any, ...]:
    return (
        code.co_name, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount,
        code.co_varnames[: code.co_argcount + code.co_kwonlyargcount],
    )  # fmt: skip


def _key(code: CodeType) -> Key:
    return code.co_filename, code.co_name, code.co_firstlineno


def _lines(code: CodeType) -> Set[int]:
    """Return the lines of a function's body and of what is defined in it."""
    found = {line for _, line in dis.findlinestarts(code) if line is not None}
    found.discard(code.co_firstlineno)  # where it is defined, which is no run of it
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found |= _lines(inner) | {inner.co_firstlineno}
    return found


# --- what a run leaves ----------------------------------------------------------------------------

Traces = Dict[str, Tuple[int, int]]


def traces(places: List[str]) -> Traces:
    """Return the files in `places`, with size and time; of a directory, only that it is there."""
    found: Traces = {}
    for place in places:
        for folder, folders, files in os.walk(place):
            for name in files:
                status = os.lstat(os.path.join(folder, name))
                found[os.path.join(folder, name)] = (status.st_size, status.st_mtime_ns)
            for name in folders:
                found[os.path.join(folder, name)] = (-1, -1)
    return found


def restored(places: List[str], before: Traces) -> bool:
    """Remove what is new in scratch space; return whether all is as it was."""
    _, *scratch = places
    for path in traces(scratch).keys() - before.keys():
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        elif os.path.lexists(path):
            os.unlink(path)
    return traces(places) == before
