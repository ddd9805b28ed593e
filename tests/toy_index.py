"""Small trees, their index, and a baseline made up of what each test is said to enter."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

from featuredel.languages.python.index import build_index
from featuredel.model import Baseline, DefinitionId, Index, Lines, Reference, TestId


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def index_of(root: Path, files: Mapping[str, str | bytes]) -> Index:
    return build_index(write_tree(root, files))


def baseline(
    index: Index,
    entered: Mapping[str, Collection[str]],
    imported: Collection[str] = (),
) -> Baseline:
    """Return a baseline of tests that run the whole body of each definition named, and itself."""
    tests = tuple(TestId(t) for t in sorted(entered))
    reached: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for bit, test in enumerate(tests):
        path, _, names = test.split("[")[0].partition("::")
        itself = f"{path}::{names.replace('::', '.')}"
        for name in (*entered[test], *([itself] if itself in index.definitions else [])):
            for file, line in body_lines(index, name):
                reached[file][line] |= 1 << bit
    ran: dict[str, set[int]] = defaultdict(set)
    for name in imported:
        for path, line in body_lines(index, name):
            ran[path].add(line)
    lines = Lines(
        tests,
        {path: dict(found) for path, found in reached.items()},
        {path: frozenset(found) for path, found in ran.items()},
    )
    return Baseline(tests, (0.0,) * len(tests), (), lines)


def body_lines(index: Index, name: str) -> list[tuple[str, int]]:
    """Return the lines of a body; `path:7` is a line itself."""
    if name not in index.definitions:
        path, _, line = name.rpartition(":")
        return [(path, int(line))]
    definition = index.definitions[DefinitionId(name)]
    return [(definition.path, n) for a, b in definition.bodies for n in range(a, b + 1)]


def named(index: Index, target: str) -> list[Reference]:
    return [r for r in index.references if r.target == target]


def places(index: Index, target: str) -> set[tuple[str, int, str, bool]]:
    return {(r.path, r.line, r.kind, r.strong) for r in named(index, target)}
