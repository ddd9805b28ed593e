"""Where the modules of a tree are: import roots, test files, and what build configuration names."""

import configparser
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

_TEST_FOLDERS = frozenset({"tests", "test", "testing", "unit_tests", "unittests", "testsuite"})
_CONFIGURATION = frozenset({"setup.py", "noxfile.py", "conf.py", "tasks.py", "fabfile.py"})
_ASIDE = frozenset({"examples", "example", "benchmarks", "benchmark", "bench", "docs", "doc"})
_ASIDE_MORE = frozenset({"asv_bench", "scripts", "tools", "ci", "demo", "demos", "samples"})
_OBJECT = re.compile(r"([A-Za-z_][\w.]*)\s*:\s*([A-Za-z_][\w.]*)")


def stem(path: str) -> str:
    """Return the path that a module is imported by: `a/b.py` and `a/b/__init__.py` give `a/b`."""
    name = path.rsplit(".", 1)[0]
    return name.removesuffix("/__init__") if name != "__init__" else ""


def is_test_name(path: str) -> bool:
    """Return whether the file's own name says that it holds tests or serves them."""
    name = PurePosixPath(path).name
    return (
        name.startswith("test_")
        or name.endswith("_test.py")
        or name in ("conftest.py", "tests.py", "test.py")
    )


def test_paths(paths: Iterable[str]) -> frozenset[str]:
    """Return the paths that hold tests or lie in a folder made for them."""
    paths = tuple(paths)
    folders: set[str] = set()
    for path in paths:
        if is_test_name(path):
            folders.update(str(p) for p in PurePosixPath(path).parents)
    return frozenset(p for p in paths if is_test_name(p) or _in_test_folder(p, folders))


def _in_test_folder(path: str, with_tests: set[str]) -> bool:
    """`django/test` is source for all its name: a test folder has test files in or below it."""
    return any(
        (folder.name in _TEST_FOLDERS or folder.name.startswith("test_"))
        and str(folder) in with_tests
        for folder in PurePosixPath(path).parents
    )


def is_aside(path: str) -> bool:
    """Return whether the file serves the build, the docs or as an example: never a feature."""
    pure = PurePosixPath(path)
    if pure.name in _CONFIGURATION and (len(pure.parts) == 1 or pure.name == "conf.py"):
        return True
    top = pure.parts[0] if len(pure.parts) > 1 else ""
    return top in _ASIDE or top in _ASIDE_MORE


def import_roots(root: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the folders that absolute imports start from, "" for the root, the likeliest first."""
    found: dict[str, None] = {}
    for folder in ("", "src", *_declared_roots(root)):
        found[folder.strip("/").removeprefix("./")] = None
    packages = {str(PurePosixPath(p).parent) for p in paths if p.endswith("__init__.py")}
    for path in sorted(paths):
        above = PurePosixPath(path).parent
        while str(above) in packages and str(above) != ".":
            above = above.parent
        found["" if str(above) == "." else str(above)] = None
    return tuple(found)


def _declared_roots(root: Path) -> Iterator[str]:
    """Yield the source folders that the project's metadata tells."""
    data = _toml(root / "pyproject.toml")
    setuptools = _at(data, "tool", "setuptools")
    yield from _strings(_at(setuptools, "package-dir"))
    yield from _strings(_at(setuptools, "packages", "find", "where"))
    yield from _strings(_at(data, "tool", "pytest", "ini_options", "pythonpath"))
    for package in _at(data, "tool", "poetry", "packages") or ():
        yield from _strings(_at(package, "from"))
    text = _ini(root / "setup.cfg").get("options", {}).get("package_dir", "")
    for line in text.splitlines():
        yield line.partition("=")[2].strip()


def entry_points(root: Path) -> tuple[tuple[str, str], ...]:
    """Return (module, object) of every script and plug-in that the build configuration names."""
    data = _toml(root / "pyproject.toml")
    texts: list[str] = []
    for table in (
        _at(data, "project", "scripts"),
        _at(data, "project", "gui-scripts"),
        _at(data, "project", "entry-points"),
        _at(data, "tool", "poetry", "scripts"),
        _at(data, "tool", "poetry", "plugins"),
        _at(data, "tool", "setuptools", "dynamic"),
    ):
        texts.extend(_strings(table))
    texts.extend(_ini(root / "setup.cfg").get("options.entry_points", {}).values())
    setup = root / "setup.py"
    if setup.is_file() and setup.stat().st_size < 1_000_000:
        texts.append(setup.read_text("utf-8", "replace"))
    found = {match.groups() for text in texts for match in _OBJECT.finditer(text)}
    found |= {(text, "") for text in texts if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)+", text)}
    return tuple(sorted((str(a), str(b)) for a, b in found))


def _toml(path: Path) -> Any:
    try:
        return tomllib.loads(path.read_text("utf-8", "replace"))
    except (OSError, tomllib.TOMLDecodeError):
        return {}


def _ini(path: Path) -> Mapping[str, Mapping[str, str]]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(path.read_text("utf-8", "replace"))
    except (OSError, configparser.Error):
        return {}
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _at(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _strings(data: Any) -> Iterator[str]:
    """Yield the strings in `data`, however deep."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from _strings(value)
    elif isinstance(data, list):
        for value in data:
            yield from _strings(value)
