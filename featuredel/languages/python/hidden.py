"""The hidden files of a deletion: originals of test files, able to load without what is deleted."""

import ast
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.layout import stem
from featuredel.languages.python.parsed import Parsed
from featuredel.languages.python.placeholders import Loading, loading, with_placeholders
from featuredel.model import DefinitionId, HiddenFile


def hidden_files(
    bench: Bench, paths: Collection[str], dead: Collection[DefinitionId]
) -> tuple[HiddenFile, ...]:
    """Return the files at `paths` as they are in the snapshot, Python ones with placeholders."""
    return tuple(_hidden(bench, path, frozenset(dead)) for path in sorted(paths))


def missing_names(
    file: Parsed, package: str, dead: Collection[DefinitionId]
) -> frozenset[tuple[str, str]]:
    """Return the dead names as the imports of a file may spell them, module by module.

    A pair too many does no harm: a name that is there stays what it is.
    """
    found: set[tuple[str, str]] = set()
    names = [tuple(d.partition("::")[2].split(".")) for d in dead if not d.endswith("::")]
    gone = [stem(d.removesuffix("::")).replace("/", ".") for d in dead if d.endswith("::")]
    modules = set(_modules(file, package))
    for module in modules:
        found.update((".".join([module, *name[:-1]]), name[-1]) for name in names)
        found.update((module, "") for file in gone if _is(module, file))
    return frozenset(found)


def package_of(root: Path, path: str) -> str:
    """Return the dotted package that relative imports of the file at `path` start from."""
    parts: list[str] = []
    folder = PurePosixPath(path).parent
    while str(folder) != "." and (root / folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


def _hidden(bench: Bench, path: str, dead: frozenset[DefinitionId]) -> HiddenFile:
    place = bench.root / path
    if place.is_symlink():
        return HiddenFile(path, 0o120000, str(place.readlink()).encode())
    mode = 0o100755 if place.stat().st_mode & 0o100 else 0o100644
    file = bench.sources.file(path) if path.endswith(".py") else None
    if file is None:
        return HiddenFile(path, mode, place.read_bytes())
    package = package_of(bench.root, path)
    missing = missing_names(file, package, dead)
    return HiddenFile(
        path, mode, with_placeholders(file.data, missing, package, file.once(_loading))
    )


def _loading(file: Parsed) -> Loading | None:
    return loading(file.data, file.tree)


def _is(module: str, file: str) -> bool:
    """Tell whether a dotted name may be the module of a file, from whatever root."""
    return file == module or file.endswith("." + module)


def _imports(file: Parsed) -> tuple[ast.Import | ast.ImportFrom, ...]:
    nodes = ast.walk(file.tree)
    return tuple(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))


def _modules(file: Parsed, package: str) -> Iterator[str]:
    """Yield every dotted name that the file's imports may mean as a module or class."""
    for node in file.once(_imports):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                yield from (".".join(parts[: n + 1]) for n in range(len(parts)))
        elif node.module != "__future__":
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            parts = [*(above if node.level else ()), *(node.module or "").split(".")]
            module = ".".join(part for part in parts if part)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if alias.name != "*")
