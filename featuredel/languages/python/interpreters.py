"""The CPython interpreters of this machine, and which of them suit a project."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from featuredel.languages.python.metadata import Metadata
from featuredel.sandbox import Mount

OLDEST = (3, 8)
"""Older ones cannot run what featuredel runs beside the tests."""

_RELEASED = {
    8: date(2019, 10, 14),
    9: date(2020, 10, 5),
    10: date(2021, 10, 4),
    11: date(2022, 10, 24),
    12: date(2023, 10, 2),
    13: date(2024, 10, 7),
    14: date(2025, 10, 7),
}
"""When each CPython 3.N came out: a project cannot have been tested with a later one."""

_FACTS = """
import json, platform, sys, sysconfig
print(json.dumps({
    "version": platform.python_version(), "implementation": sys.implementation.name,
    "prefix": sys.base_prefix, "gil": not sysconfig.get_config_var("Py_GIL_DISABLED"),
}))
"""

_HIDDEN = (
    "lib*/python*/site-packages",
    "lib*/python*/dist-packages",
    "lib*/python*/ensurepip/_bundled",
    "lib*/python*/test",
)
_SUPPORT = ("__init__.py", "support")
"""Of the tests of the standard library, what the tests of other projects import."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A base interpreter, not a virtual environment."""

    version: str  # full: "3.13.0"
    executable: Path
    home: Path  # its installation prefix

    @property
    def minor(self) -> tuple[int, int]:
        """Major and minor version."""
        return minor_of(self.version)


def minor_of(version: str) -> tuple[int, int]:
    """Return the major and minor number of an interpreter's full version."""
    major, minor, *_ = Version(version).release
    return major, minor


def interpreters() -> tuple[Interpreter, ...]:
    """Return this machine's interpreters, the newest first, one of each minor version."""
    found: dict[tuple[int, int], Interpreter] = {}
    seen: set[Path] = set()
    for path in _candidates():
        real = path.resolve()
        if real in seen or not os.access(real, os.X_OK):
            continue
        seen.add(real)
        interpreter = inspect(path)
        if interpreter and interpreter.minor >= OLDEST:
            known = found.get(interpreter.minor)
            if known is None or Version(known.version) < Version(interpreter.version):
                found[interpreter.minor] = interpreter
    return tuple(found[minor] for minor in sorted(found, reverse=True))


def inspect(path: Path) -> Interpreter | None:
    """Return the base interpreter behind `path`; None if it does not run or is not CPython."""
    try:
        run = subprocess.run(
            [str(path), "-I", "-S", "-c", _FACTS], capture_output=True, timeout=20, check=True
        )
        facts = json.loads(run.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    if facts["implementation"] != "cpython" or not facts["gil"]:
        return None
    minor = ".".join(facts["version"].split(".")[:2])
    home = Path(facts["prefix"])
    base = home / "bin" / f"python{minor}"
    if not re.fullmatch(r"3\.\d+\.\d+", facts["version"]) or not base.exists():
        return None  # a pre-release, or an installation of an unknown shape
    return Interpreter(facts["version"], base, home)


def mounts(home: Path, minor: tuple[int, int]) -> tuple[Mount, ...]:
    """Return what of a base interpreter is shown, at its own place.

    Not its scripts, which belong to packages, and of the standard library's tests only what the
    tests of others use.
    """
    name = f"python{minor[0]}.{minor[1]}"
    libraries = [home / folder / name for folder in ("lib", "lib64")]
    if home == Path("/usr"):  # its programs and shared libraries are there for every command
        found = [path for path in libraries if path.is_dir() and not path.parent.is_symlink()]
    else:
        found = [home / "bin" / alias for alias in ("python", "python3", name)]
        program = (home / "bin" / name).resolve()
        found = [path for path in found if path.exists() and path.resolve() == program]
        found += [
            path for folder in ("lib", "lib64", "include") if (path := home / folder).is_dir()
        ]
        found = [path for path in found if path.parent != home or not path.is_symlink()]
    tests = (library / "test" for library in libraries if not library.parent.is_symlink())
    found += [test / part for test in tests for part in _SUPPORT if (test / part).exists()]
    return tuple(Mount(path, str(path)) for path in found)


def hidden(home: Path) -> tuple[str, ...]:
    """Return the folders in a base interpreter that hold packages of others, or copies of them.

    `ensurepip` has wheels of pip and setuptools, and the tests of the standard library have one of
    setuptools; in these are copies of a dozen well-known libraries.
    """
    found = (path for pattern in _HIDDEN for path in home.glob(pattern))
    return tuple(sorted(str(path) for path in found if path.is_dir() and not path.is_symlink()))


def suitable(
    metadata: Metadata, available: Iterable[Interpreter], released: date | None
) -> tuple[Interpreter, ...]:
    """Return the interpreters to try for a project, the best first.

    First those that the project names in its classifiers, from 3.12 on before the older ones (the
    tracer is faster there); then those that came out before it, then the rest. What its
    `requires-python` excludes is left out.
    """
    try:
        allowed = SpecifierSet(metadata.requires_python)
    except InvalidSpecifier:
        allowed = SpecifierSet("")
    possible = [i for i in available if allowed.contains(i.version, prereleases=True)]
    named = _named(metadata.classifiers)

    def known(interpreter: Interpreter) -> bool:
        day = _RELEASED.get(interpreter.minor[1], date.max)
        return interpreter.minor in named if named else day <= (released or date.max)

    first = [i for i in possible if known(i)]
    # The nearest to what the project knew is the likeliest to work among the others.
    nearest = max(named) if named else OLDEST
    rest = [i for i in possible if not known(i)]
    rest.sort(key=lambda i: (i.minor < nearest, abs(i.minor[1] - nearest[1])))
    first.sort(key=lambda i: i.minor, reverse=True)
    return (*first, *rest)


def _named(classifiers: Iterable[str]) -> frozenset[tuple[int, int]]:
    matches = (
        re.fullmatch(r"Programming Language :: Python :: (3)\.(\d+)", text.strip())
        for text in classifiers
    )
    return frozenset((int(m.group(1)), int(m.group(2))) for m in matches if m)


def _candidates() -> Iterator[Path]:
    yield Path(sys.executable)
    folders = [Path(p) for p in os.environ.get("PATH", "").split(os.pathsep) if p]
    folders += [Path("/usr/bin"), Path("/usr/local/bin")]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    folders += sorted(pyenv.glob("versions/*/bin"))
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    managed = os.environ.get("UV_PYTHON_INSTALL_DIR") or data / "uv" / "python"
    folders += sorted(Path(managed).glob("*/bin"))
    for folder in folders:
        for path in sorted(folder.glob("python3.*")):
            if re.fullmatch(r"python3\.\d+", path.name) and "shims" not in path.parts:
                yield path
