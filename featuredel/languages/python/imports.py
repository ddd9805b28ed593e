"""Whether modules can be imported: the command that tries, and what it reports."""

import dataclasses
import json
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath

from featuredel import trees
from featuredel.languages.python import runner
from featuredel.model import Environment, TestRequest
from featuredel.sandbox import ENVIRONMENT, REPORT_FD, WORKSPACE, Command, ExecResult

MAX_MODULES = 300

_PROGRAM = f"""\
import importlib, json, os, sys
report = os.fdopen({REPORT_FD}, "w")
for path, root, name in json.load(sys.stdin):
    if root not in sys.path:
        sys.path.insert(0, root)
    try:
        importlib.import_module(name)
    except BaseException as error:
        why = type(error).__name__ + ": " + (str(error).splitlines() or [""])[0]
    else:
        why = ""
    report.write(json.dumps([path, why]) + "\\n")
    report.flush()
os._exit(0)
"""
_NEVER = re.compile(
    r"(^|/)(setup|conftest|__main__|noxfile|conf)\.py$|(^|/)(tests?|docs?|examples?)/"
)


def importers(root: Path, changed: Collection[str]) -> tuple[str, ...]:
    """Return the changed modules of the tree and those whose import lines may name one."""
    stems = {_stem(path) for path in changed if path.endswith(".py")}
    word = rb"|".join(re.escape(stem.encode()) for stem in sorted(stems))
    line = re.compile(rb"^[ \t]*(?:from|import)\b[^#\r\n]*\b(?:" + word + rb")\b", re.M)
    found = [
        path
        for path in trees.files(root)
        if path.endswith(".py")
        and not _NEVER.search(path)
        and (path in changed or line.search(trees.read(root, path)))
    ]
    return tuple(found[:MAX_MODULES])


def import_command(
    root: Path, environment: Environment, layers: tuple[Path, ...], paths: tuple[str, ...]
) -> Command:
    """Return the command that imports each of the source files."""
    base = runner.test_command(environment, layers, TestRequest(ids=()))
    return dataclasses.replace(
        base,
        argv=(f"{ENVIRONMENT}/bin/python", "-c", _PROGRAM),
        stdin=json.dumps(modules(root, paths)).encode(),
    )


def loadable(root: Path, paths: Iterable[str]) -> list[str]:
    """Return those of `paths` that are modules of the tree, and no tests or scripts; sorted."""
    return sorted(
        path
        for path in paths
        if path.endswith(".py") and not _NEVER.search(path) and (root / path).is_file()
    )


def modules(root: Path, paths: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return source files, each with where it is imported from and its dotted name."""
    return [(path, *_module(root, path)) for path in paths]


def import_faults(paths: Collection[str], result: ExecResult) -> Mapping[str, str]:
    """Return why files could not be imported. One that ends the process takes the rest along."""
    seen: dict[str, str] = {}
    for line in result.report.splitlines():
        try:
            path, why = json.loads(line)
            seen[path] = str(why)
        except (ValueError, TypeError):
            break
    faults = {path: why for path, why in seen.items() if why}
    return faults | {path: f"never imported ({result.ended})" for path in paths if path not in seen}


def _stem(path: str) -> str:
    pure = PurePosixPath(path)
    return pure.parent.name if pure.stem == "__init__" else pure.stem


def _module(root: Path, path: str) -> tuple[str, str]:
    """Return where a module is imported from, as the sandbox sees it, and its dotted name."""
    pure = PurePosixPath(path)
    parts = list(pure.parts[:-1]) if pure.stem == "__init__" else [*pure.parts[:-1], pure.stem]
    top = pure.parent
    while top.name and (root / top / "__init__.py").is_file():
        top = top.parent
    outer = len(top.parts)
    base = f"{WORKSPACE}/{top}" if outer else WORKSPACE
    return base, ".".join(parts[outer:])
