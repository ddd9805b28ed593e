"""What of a solver's tree may cross into the tree that is graded.

Only changes to source files cross: no links, no bytecode or binaries, no tests, no settings of
tests or builds. What may not cross is dropped and reported; it never costs anything.
"""

import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from featuredel import trees
from featuredel.model import Deletion

MAX_FILE_BYTES = 8 << 20
"""A larger file is no source that a person wrote."""

MAX_PATH = 1000
"""A longer path may not be one that this machine can make in another place."""

_TEST_PATH = re.compile(
    r"(^|/)(tests?|testing|__tests__)/|(^|/)(test_[^/]*|[^/]*_tests?|conftest)\.py$"
)
_GENERATED = re.compile(r"(^|/)(__pycache__|\.[^/]+|[^/]+\.(?:egg-info|dist-info))(/|$)")
_BINARY = re.compile(r"\.(py[cod]|so|dylib|dll|exe|jar|class|whl|egg|zip|pth|tar|gz|bin)$")
_SETTINGS = frozenset(
    {
        "pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "noxfile.py",
        "sitecustomize.py", "usercustomize.py", "Makefile", "hatch_build.py",
    }
)  # fmt: skip
_NO_SOURCE = re.compile(r"(^|/)(docs?|examples?|benchmarks?|scripts?|tools?)/")


@dataclass(frozen=True, slots=True)
class Submission:
    """A solver's changes to the task tree."""

    edits: Mapping[str, bytes | None]  # that cross
    dropped: tuple[str, ...]  # that do not; a generated directory ends in a slash


def submission(
    task_tree: Path,
    solver_tree: Path,
    allowed: Collection[str],
    protected: Collection[str] = (),
    ignored: Collection[str] = (),
) -> Submission:
    """Return what the solver changed. The solver's tree is hostile: nothing in it is followed.

    `protected` paths are the grader's, and never cross; `ignored` ones are not worth a report.
    """
    closed: list[str] = []
    before, after = set(trees.files(task_tree)), set(_files(solver_tree, closed))
    edits: dict[str, bytes | None] = {}
    dropped = {path[:MAX_PATH] for path in closed}
    for path in sorted(before | after):
        if path in ignored or _same(task_tree, solver_tree, path):
            continue
        content = _content(solver_tree / path) if path in after else None
        unreadable = path.startswith(tuple(closed)) or (content is None and path in after)
        unreadable |= len(path) > MAX_PATH
        # an archive, say, under the name of something else; no source holds such a byte
        unreadable |= content is not None and b"\0" in content and path not in allowed
        if may_cross(path, allowed) and not unreadable and path not in protected:
            edits[path] = content
        else:
            dropped.add(_reported(path, path in before))
    for path in _colliding(edits, before | set(protected)):
        del edits[path]
        dropped.add(path)
    return Submission(edits, tuple(sorted(dropped)))


def may_cross(path: str, allowed: Collection[str]) -> bool:
    """Whether a change of `path` crosses. An allowed path that ends in a slash is a source root."""
    if path in allowed:
        return True
    if PurePosixPath(path).name in _SETTINGS or _BINARY.search(path):
        return False
    if not any(entry.endswith("/") and path.startswith(entry) for entry in allowed):
        return False
    return not (_TEST_PATH.search(path) or _GENERATED.search(path))


def allowed_paths(root: Path, deletion: Deletion) -> tuple[str, ...]:
    """Return the source roots of the snapshot at `root`, and what else the gold patch touches."""
    roots = {_source_root(root, path) for path in trees.files(root) if _is_package(path)}
    roots |= {_source_root(root, path) for path in deletion.gold_paths if path.endswith(".py")}
    roots.discard("")
    inside = tuple(sorted(roots))
    return tuple(sorted(roots | {p for p in deletion.gold_paths if not may_cross(p, inside)}))


def _is_package(path: str) -> bool:
    return path.endswith("/__init__.py") and not (
        _TEST_PATH.search(path) or _GENERATED.search(path) or _NO_SOURCE.search(path)
    )


def _source_root(root: Path, path: str) -> str:
    """Return the directory of the outermost package around a file, else the file's own."""
    parents = [parent for parent in PurePosixPath(path).parents if parent.name]
    packages = [parent for parent in parents if (root / parent / "__init__.py").is_file()]
    directory = packages[-1] if packages else parents[0] if parents else None
    return f"{directory}/" if directory else ""


def _colliding(edits: Mapping[str, bytes | None], kept: Collection[str]) -> list[str]:
    """Return the new files that stand where the tree has a directory, or under one of its files."""
    files = {path for path in kept if edits.get(path, b"") is not None} | {
        path for path, content in edits.items() if content is not None
    }
    folders = {str(parent) for path in files for parent in PurePosixPath(path).parents}
    return [
        path
        for path, content in edits.items()
        if content is not None
        and (path in folders or any(str(p) in files for p in PurePosixPath(path).parents))
    ]


def _files(root: Path, closed: list[str]) -> Iterator[str]:
    """Yield every path that is no directory, special files too, which `trees.files` leaves out.

    Directories that cannot be read, or lie too deep, are added to `closed`, with a slash.
    """
    left = [""]
    while left:
        folder = left.pop()
        try:
            entries = list(os.scandir(root / folder))
        except OSError:
            closed.append(folder)
            continue
        for entry in entries:
            path = folder + entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif len(path) > MAX_PATH:
                closed.append(f"{path}/")
            elif path != ".git":
                left.append(f"{path}/")


def _same(one: Path, other: Path, path: str) -> bool:
    try:
        first, second = (one / path).lstat(), (other / path).lstat()
        if stat.S_IFMT(first.st_mode) != stat.S_IFMT(second.st_mode):
            return False
        if stat.S_ISREG(first.st_mode) and first.st_size != second.st_size:
            return False
        return trees.read(one, path) == trees.read(other, path)
    except OSError:
        return False


def _content(path: Path) -> bytes | None:
    """Return the bytes of a regular file; None for a link, a device, or too large a file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            return None
        return file.read(MAX_FILE_BYTES)


def _reported(path: str, known: bool) -> str:
    generated = _GENERATED.search(path)
    return (path if known or not generated else path[: generated.end()])[:MAX_PATH]
