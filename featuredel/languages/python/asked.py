"""What code that stays asks for by name or key: strings, and attributes of whatever it is given.

No reference says what is meant; it may be anything of that name.
"""

import ast
from collections.abc import Iterator

from featuredel.languages.python.bench import Bench
from featuredel.languages.python.parsed import Parsed
from featuredel.languages.python.sites import Site, View, holder_of
from featuredel.model import Definition, Reference

_SHORTEST_KEY = 3


def as_key(view: View, bench: Bench, key: str, *, only_defaults: bool) -> bool:
    """Tell whether a function that stays hands a string on or has it as a default."""
    for file in _imported(bench):
        for node in file.strings.get(key, ()):
            if view.gone(file, node) or not _handed_on(file, node):
                continue
            if only_defaults and not isinstance(file.parents[node], ast.arguments):
                continue
            if view.live(file, node.lineno, node.lineno):
                return True
    return False


def _handed_on(file: Parsed, node: ast.Constant) -> bool:
    outer = file.parents[node]
    if isinstance(outer, ast.arguments):
        return True
    if file.function(node) is None or (isinstance(outer, ast.Dict) and node in outer.keys):
        return False
    return not isinstance(outer, ast.Compare | ast.Expr | ast.JoinedStr)


def by_name(view: View, bench: Bench, reference: Reference) -> str | None:
    """Return the place if code that stays asks for the target: `hasattr(x, "validate")`."""
    if reference.kind != "string" or reference.path in bench.index.test_paths:
        return None
    file = bench.sources.file(reference.path)
    node = file.find(reference) if file is not None else None
    if file is None or not isinstance(node, ast.Constant) or view.gone(file, node):
        return None
    if node.value == last_name(reference) and view.live(file, reference.line, reference.line):
        return f"{file.path}:{reference.line}"
    return None


def as_attribute(view: View, bench: Bench, member: Definition) -> str | None:
    """Return the place if code that runs reads a class or constant inside a class by its name."""
    parent = view.definition(member.parent) if member.parent is not None else None
    if parent is None or parent.kind != "class" or member.kind not in ("class", "constant"):
        return None
    name = member.qualname.rsplit(".", 1)[-1]
    for file in _imported(bench):
        for node in file.attributes.get(name, ()):
            if not view.gone(file, node) and view.live(file, node.lineno, node.lineno):
                return f"{file.path}:{node.lineno}"
    return None


def keys(view: View, bench: Bench, reference: Reference, prefix: str) -> Iterator[Site]:
    """Yield the keys by which `getattr(self, "parse_" + key)` reaches the target.

    They stand in the file of the dispatch or of what it reaches.
    """
    path = reference.target.partition("::")[0]
    name = last_name(reference)
    key = name.removeprefix(prefix)
    if key == name or len(key) < _SHORTEST_KEY:
        return
    for place in sorted({path, reference.path}):
        file = bench.sources.file(place)
        for node in file.strings.get(key, ()) if file is not None else ():
            if file is not None and not view.gone(file, node):
                holder = holder_of(file, node)
                yield Site(file, node, reference.target, holder, "string", strong=False)


def last_name(reference: Reference) -> str:
    """Return the target's own name, without what it is part of."""
    return reference.target.rsplit("::", 1)[-1].rsplit(".", 1)[-1]


def _imported(bench: Bench) -> Iterator[Parsed]:
    """Yield the files, tests aside, of which an import executes something."""
    for path in sorted(bench.imported.keys() - bench.index.test_paths):
        file = bench.sources.file(path) if path.endswith(".py") else None
        if file is not None:
            yield file
