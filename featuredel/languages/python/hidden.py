"""The hidden files of a deletion: originals of test files, able to load without what is deleted."""

import ast
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.layout import stem
from featuredel.languages.python.placeholders import with_placeholders
from featuredel.languages.python.source import parse
from featuredel.model import DefinitionId, HiddenFile


def hidden_files(
    bench: Bench, paths: Collection[str], dead: Collection[DefinitionId]
) -> tuple[HiddenFile, ...]:
    """Return the files at `paths` as they are in the snapshot, Python ones with placeholders."""
    return tuple(_hidden(bench, path, frozenset(dead)) for path in sorted(paths))


def missing_names(
    source: bytes, package: str, dead: Collection[DefinitionId]
) -> frozenset[tuple[str, str]]:
    """Return the dead names as the imports of `source` may spell them, module by module.

    A pair too many does no harm: a name that is there stays what it is.
    """
    tree = parse(source)
    if tree is None:
        return frozenset()
    found: set[tuple[str, str]] = set()
    names = [tuple(d.partition("::")[2].split(".")) for d in dead if not d.endswith("::")]
    gone = [stem(d.removesuffix("::")).replace("/", ".") for d in dead if d.endswith("::")]
    modules = set(_modules(tree, package))
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
    file = bench.root / path
    if file.is_symlink():
        return HiddenFile(path, 0o120000, str(file.readlink()).encode())
    mode = 0o100755 if file.stat().st_mode & 0o100 else 0o100644
    content = file.read_bytes()
    if path.endswith(".py"):
        package = package_of(bench.root, path)
        content = with_placeholders(content, missing_names(content, package, dead), package)
    return HiddenFile(path, mode, content)


def _is(module: str, file: str) -> bool:
    """Tell whether a dotted name may be the module of a file, from whatever root."""
    return file == module or file.endswith("." + module)


def _modules(tree: ast.Module, package: str) -> Iterator[str]:
    """Yield every dotted name that the file's imports may mean as a module or class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                yield from (".".join(parts[: n + 1]) for n in range(len(parts)))
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            parts = [*(above if node.level else ()), *(node.module or "").split(".")]
            module = ".".join(part for part in parts if part)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if alias.name != "*")
