"""Where a project's tests are, and pytest's configuration for them."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from featuredel.languages.python.metadata import read_text
from featuredel.languages.python.pytest_options import PytestOptions, pytest_options

_TEST_FOLDERS = ("tests", "test", "testing", "unittests", "unit_tests", "t")
_TEST_FILE = re.compile(r"test_.*\.py|.*_tests?\.py|tests?\.py")
_NOT_TESTS = {
    *("build", "dist", "docs", "doc", "examples", "example", "venv", "env", "node_modules"),
    *("benchmarks", "benchmark", "bench", "site-packages", "vendor", "_vendor", "third_party"),
}
_MANY = 4
"""With more test folders than this below a package, the package itself is the root."""


@dataclass(frozen=True, slots=True)
class Tests:
    """The test files of a tree, and what to hand to pytest."""

    __test__ = False

    roots: tuple[str, ...]  # () leaves it to the project's own configuration
    files: tuple[str, ...]  # test modules and conftests; what they import the tests need
    options: Mapping[str, str]  # pytest's configuration, lists joined by newlines


def find_tests(root: Path) -> Tests:
    """Return where the tests of the tree at `root` are."""
    options = _texts(read_options(root))
    paths = tuple(_python_files(root))
    test_paths = [path for path in options.get("testpaths", "").split() if _exists(root, path)]
    tests = tuple(path for path in paths if _is_test(path))
    if test_paths:
        roots: tuple[str, ...] = ()
        inside = tuple(p for p in paths if any(_below(p, t) for t in test_paths))
        files = tuple(p for p in inside if _is_test(p) or _in_test_folder(p))
        return Tests(roots, files or inside, options)
    roots = _roots(tests)
    if not roots:
        roots = tests = tuple(p for p in paths if _in_test_folder(p) and _holds_tests(root / p))
    helpers = tuple(p for p in paths if _in_test_folder(p) or p.endswith("conftest.py"))
    return Tests(roots, tuple(sorted({*tests, *helpers})), options)


def read_options(root: Path) -> PytestOptions:
    """Return pytest's configuration from the file at `root` that pytest itself would take."""

    def read(name: str) -> bytes | None:
        path = root / name
        return None if path.is_symlink() or not path.is_file() else path.read_bytes()

    return pytest_options(read)


def _texts(options: PytestOptions) -> dict[str, str]:
    return {
        key: "\n".join(value) if isinstance(value, list) else value
        for key, value in options.values.items()
    }


def _python_files(root: Path) -> Iterator[str]:
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        hidden = any(part.startswith(".") for part in relative.parts)
        if not hidden and path.is_file() and not path.is_symlink():
            yield relative.as_posix()


def _is_test(path: str) -> bool:
    *folders, name = path.split("/")
    return bool(_TEST_FILE.fullmatch(name)) and not _NOT_TESTS & set(folders)


def _in_test_folder(path: str) -> bool:
    folders = path.split("/")[:-1]
    return bool(set(_TEST_FOLDERS) & set(folders)) and not _NOT_TESTS & set(folders)


def _roots(files: tuple[str, ...]) -> tuple[str, ...]:
    """Return the folders, or single files, that together hold all test files."""
    found: dict[str, None] = {}
    for path in files:
        folders = path.split("/")[:-1]
        test_folder = next((i for i, name in enumerate(folders) if name in _TEST_FOLDERS), None)
        if test_folder is not None:
            found.setdefault("/".join(folders[: test_folder + 1]))
        else:
            found.setdefault(path)
    plain = [path for path in found if path.endswith(".py")]
    folders_found = [path for path in found if not path.endswith(".py")]
    top: dict[str, list[str]] = {}
    for path in folders_found:
        top.setdefault(_package(path), []).append(path)
    roots = [
        root
        for package, paths in top.items()
        for root in ([package] if package and len(paths) > _MANY else paths)
    ]
    if folders_found:
        # `conftest.py`-like strays such as `pkg/testing_tools_test.py` are left to their folder;
        # a test module at the top of the tree is one that people run.
        plain = [path for path in plain if "/" not in path or _beside_code(path, plain)]
    return tuple(sorted({*roots, *plain}))


def _beside_code(path: str, plain: list[str]) -> bool:
    """Tell whether test modules lie beside the code as a habit, not by accident."""
    return len([p for p in plain if "/" in p]) > _MANY and "/" in path


def _package(path: str) -> str:
    parts = PurePosixPath(path).parts
    depth = 2 if parts[0] in ("src", "lib", "python") else 1
    return "/".join(parts[:depth]) if len(parts) > depth else ""


def _holds_tests(path: Path) -> bool:
    try:
        module = ast.parse(read_text(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            return True
    return False


def _exists(root: Path, path: str) -> bool:
    return any(root.glob(path)) if not path.startswith("/") else False


def _below(path: str, pattern: str) -> bool:
    pure = PurePosixPath(path)
    pattern = pattern.strip("/").removeprefix("./")
    return (
        pattern in (".", "")
        or path.startswith(f"{pattern}/")
        or any(parent.match(pattern) for parent in (pure, *pure.parents))
    )
