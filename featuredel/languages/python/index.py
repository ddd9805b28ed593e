"""The index of a tree: all its definitions, and every place that names one."""

import gc
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from featuredel.languages.python import layout
from featuredel.languages.python.definitions import FileReader
from featuredel.languages.python.names import Names, Scope, targets
from featuredel.languages.python.references import Found, Site, Walker
from featuredel.languages.python.source import MAX_FILE_BYTES, read_source
from featuredel.model import Definition, DefinitionId, Index, Reference

_SKIPPED_FOLDERS = frozenset(
    {".git", ".hg", ".tox", ".nox", ".venv", "node_modules", "__pycache__"}
)
_BUILTIN_TYPES = (str, bytes, list, dict, set, int, float, complex, tuple, Exception, type(len))
_BUILTIN_NAMES = frozenset(name for kind in _BUILTIN_TYPES for name in dir(kind)) | {
    *("read", "write", "close", "open", "flush", "seek", "readline", "group", "match", "search"),
    *("send", "throw", "name", "value", "path", "start", "end", "span", "run", "wait", "put"),
}
_MOST_MEANINGS = 24
"""A name with more definitions than this says nothing about any of them."""


def build_index(root: Path, max_file_bytes: int = MAX_FILE_BYTES) -> Index:
    """Return all definitions and references of the tree. Files that do not parse are left out."""
    with _no_collection():
        return _build(root, max_file_bytes)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Spare the collector the syntax trees, which live to the end: it costs more than parsing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _build(root: Path, max_file_bytes: int) -> Index:
    paths = tuple(_python_files(root))
    names = Names(paths, layout.import_roots(root, paths))
    readers, definitions = _read(root, paths, names, max_file_bytes)
    members = _by_name(definitions)
    known = frozenset(members)
    found = [_walk(reader, names, known) for reader in readers]
    references = [reference for one in found for reference in one.references]
    weak, ambiguous = _resolve(found, names, definitions, members)
    definitions = _published(definitions, names)
    return Index(
        definitions=definitions,
        references=tuple(sorted({*references, *weak}, key=_place)),
        test_paths=layout.test_paths(paths),
        ambiguous=tuple(sorted(set(ambiguous), key=_place)),
        pinned=_pinned(root, names, definitions),
    )


def _python_files(root: Path) -> Iterator[str]:
    """Yield the .py and .pyi files of the tree, sorted."""
    found: list[str] = []
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in _SKIPPED_FOLDERS]
        here = Path(folder).relative_to(root)
        found.extend((here / f).as_posix() for f in files if f.endswith((".py", ".pyi")))
    yield from sorted(found)


def _read(
    root: Path, paths: Iterable[str], names: Names, max_file_bytes: int
) -> tuple[list[FileReader], dict[DefinitionId, Definition]]:
    readers: list[FileReader] = []
    definitions: dict[DefinitionId, Definition] = {}
    for path in paths:
        source = read_source(root, path, max_file_bytes)
        if source is None:
            continue
        reader = FileReader(source, names)
        try:
            read = reader.read()
        except RecursionError:
            continue
        readers.append(reader)
        definitions.update((d.id, d) for d in read)
    return readers, definitions


def _walk(reader: FileReader, names: Names, members: frozenset[str]) -> Found:
    walker = Walker(reader.path, names, reader.scopes, reader.owners, members)
    try:
        return walker.walk(reader.source.tree)
    except RecursionError:
        return walker.found  # as far as it went: a deep expression holds few names


def _by_name(definitions: Mapping[DefinitionId, Definition]) -> dict[str, list[DefinitionId]]:
    """Return the definitions that an attribute can mean, by their last name."""
    found: dict[str, list[DefinitionId]] = defaultdict(list)
    for definition in definitions.values():
        outer = definitions[definition.parent] if definition.parent is not None else None
        if outer is not None and outer.kind in ("module", "class"):
            found[definition.qualname.rsplit(".", 1)[-1]].append(definition.id)
    return found


def _resolve(
    found: Iterable[Found],
    names: Names,
    definitions: Mapping[DefinitionId, Definition],
    members: Mapping[str, list[DefinitionId]],
) -> tuple[list[Reference], list[Reference]]:
    """Return the weak references of what the rules left open: of one meaning, and of several."""
    found = list(found)
    stored = {name for one in found for name in one.stored}
    weak: list[Reference] = []
    ambiguous: list[Reference] = []
    tests = layout.test_paths({d.path for d in definitions.values()})
    local = {d.id for d in definitions.values() if d.path in tests or _in_function(d, definitions)}
    for site in (site for one in found for site in one.sites):
        if site.prefix:
            weak.extend(_reference(site, t) for t in _dispatched(site, names, members))
            continue
        if site.name in _BUILTIN_NAMES or site.name.startswith("__"):
            continue
        meant = [m for m in members[site.name] if _can_mean(site, definitions[m], local, names)]
        if len(meant) == 1 and site.name not in stored:
            weak.append(_reference(site, meant[0]))
        elif len(meant) <= _MOST_MEANINGS:
            ambiguous.extend(_reference(site, m) for m in meant)
    return weak, ambiguous


def _can_mean(
    site: Site, definition: Definition, local: Collection[DefinitionId], names: Names
) -> bool:
    """Return whether an attribute at `site` may be that member of a class.

    What lies in a function or in test code is not known outside of its file.
    """
    return (
        definition.parent in names.classes
        and not definition.path.endswith(".pyi")
        and (definition.path == site.path or definition.id not in local)
    )


def _dispatched(
    site: Site, names: Names, members: Mapping[str, list[DefinitionId]]
) -> Iterator[DefinitionId]:
    """Yield what `getattr(self, "parse_" + x)` can reach: in the class and its kin, or anywhere."""
    kin = _kin(site.within, names) if site.within is not None else None
    for name, meant in members.items():
        if not name.startswith(site.name) or name == site.name:
            continue
        inside = [m for m in meant if kin is not None and _owner(m) in kin]
        yield from inside if kin is not None else meant


def _kin(class_id: DefinitionId, names: Names) -> frozenset[str]:
    """Return the class, its bases and its heirs."""
    heirs = {c for c in names.classes if class_id in names.mro(c)}
    return frozenset({*names.mro(class_id), *heirs})


def _owner(definition: DefinitionId) -> str:
    path, _, qualname = definition.partition("::")
    return f"{path}::{qualname.rpartition('.')[0]}"


def _reference(site: Site, target: DefinitionId) -> Reference:
    return Reference(
        site.holder, site.path, site.line, site.column, target, site.kind, strong=False
    )


def _published(
    definitions: Mapping[DefinitionId, Definition], names: Names
) -> dict[DefinitionId, Definition]:
    """Count as public what a public package takes over from a private module of its own."""
    shown: set[DefinitionId] = set()
    for place, module in sorted(names.modules.items()):
        if not names.paths[place].endswith("__init__.py"):
            continue
        for name in sorted(_offered(place, module, names)):
            shown.update(targets(names.exported(place, name)))
    found = dict(definitions)
    for definition in definitions.values():
        parts = definition.qualname.split(".")
        top = DefinitionId(f"{definition.path}::{parts[0]}")
        inner_private = any(p.startswith("_") and not p.endswith("__") for p in parts[1:])
        if top in shown and not inner_private and not _in_function(definition, definitions):
            found[definition.id] = replace(definition, public=True)
    return found


def _offered(place: str, module: Scope, names: Names) -> Iterable[str]:
    listed = names.exports.get(place)
    if listed is not None:
        return listed
    taken = set(module.bindings)
    for star in module.stars:
        inner = names.modules.get(star)
        taken.update(names.exports.get(star) or (inner.bindings if inner is not None else ()))
    return {name for name in taken if not name.startswith("_")}


def _in_function(definition: Definition, definitions: Mapping[DefinitionId, Definition]) -> bool:
    at = definition.parent
    while at is not None:
        if definitions[at].kind in ("function", "method"):
            return True
        at = definitions[at].parent
    return False


def _pinned(
    root: Path, names: Names, definitions: Mapping[DefinitionId, Definition]
) -> frozenset[DefinitionId]:
    """Return what build configuration holds or names; nothing there may be deleted."""
    found = {d.id for d in definitions.values() if layout.is_aside(d.path)}
    for dotted, attribute in layout.entry_points(root):
        place = names.locate(dotted, 0, "")
        module = names.module(place) if place is not None else None
        if place is None or module is None:
            continue
        found.add(module)
        if attribute:
            found.update(targets(names.exported(place, attribute.split(".")[0])))
    return frozenset(found)


def _place(reference: Reference) -> tuple[str, int, int, str, str, str]:
    r = reference
    return (r.path, r.line, r.column, r.target, r.kind, r.holder)
