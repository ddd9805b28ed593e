"""What of a tree a prompt of one turn shows: the files, and the contents of those that matter.

What matters is told by the statement and by where files lie: nothing of the answer is asked.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from featuredel import trees
from featuredel.submission import may_cross

MAX_LISTED = 400
"""So many paths a prompt lists, those near to what the statement names first."""

_WORD = re.compile(r"[\w.+/-]*\w")
_DOTTED = re.compile(r"(?<![\w./])[A-Za-z]\w*(?:\.\w+)+")


@dataclass(frozen=True, slots=True)
class Context:
    """What is shown of a tree. `needed_chars` is what the files come to that have to be shown."""

    listed: tuple[str, ...]
    unlisted: int  # how many more files there are
    contents: dict[str, str]  # by path, in the order in which to show them
    needed_chars: int


def context_of(
    tree: Path, statement: str, chars: int, given: Collection[str] = (), without: str = ""
) -> Context:
    """Return what to show of a tree, of contents no more than `chars` characters.

    First come the files that are `given` with the task, and the code that the statement names by
    path or by module: they are needed. Then what else it names or lies near to that and may be
    edited, while there is room. `without` is the statement's own file.
    """
    paths = [path for path in trees.files(tree) if path != without]
    named = _named(statement, paths)
    places = sorted({*named, *_paths_in(statement)})
    roots = {f"{place.partition('/')[0]}/" for place in places if "/" in place}
    near = sorted(paths, key=lambda path: (path not in named, -_nearness(path, places), path))
    needed = [p for p in near if p in given or (p in named and _is_code(p))]
    contents = {path: text for path in needed if (text := _text(tree / path)) is not None}
    needed_chars = sum(map(len, contents.values()))
    room = chars - needed_chars
    for path in near:
        if path in contents or not may_cross(path, roots):
            continue
        text = _text(tree / path)
        if text and len(text) <= room:
            contents[path] = text
            room -= len(text)
    listed = tuple(sorted(near[:MAX_LISTED]))
    return Context(listed, len(paths) - len(listed), contents, needed_chars)


def _is_code(path: str) -> bool:
    """Tell a module, which may lie at the root of the tree, from tests and settings."""
    return path.endswith(".py") and may_cross(f"/{path}", ("/",))


def _named(statement: str, paths: Collection[str]) -> set[str]:
    """Return the files that a statement names: `pkg/mod.py`, or `pkg.mod.Class` of it."""
    found = set(_paths_in(statement)) & set(paths)
    for name in set(_DOTTED.findall(statement)):
        found.update(_module_of(name, paths))
    return found


def _paths_in(statement: str) -> Iterator[str]:
    yield from (word for word in set(_WORD.findall(statement)) if PurePosixPath(word).suffix)


def _module_of(name: str, paths: Collection[str]) -> list[str]:
    """Return the files of the innermost module or package that a dotted name goes through."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        stem = "/".join(parts[:count])
        files = (f"{stem}.py", f"{stem}/__init__.py")
        # packages lie at the root, or in a folder like `src`
        found = [p for p in paths if p in files or p.partition("/")[2] in files]
        if found:
            return found
    return []


def _nearness(path: str, places: Collection[str]) -> int:
    """Return how many folders a path has in common with the nearest of some places."""
    above = set(PurePosixPath(path).parents)
    return max((len(above.intersection(PurePosixPath(p).parents)) for p in places), default=0)


def _text(path: Path) -> str | None:
    """Return the text of a regular file of UTF-8; None of anything else."""
    if path.is_symlink():
        return None
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
