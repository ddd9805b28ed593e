"""What test files use that an installed distribution must give: imports, fixtures, marks."""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from featuredel.languages.python.distributions import (
    FIXTURE_TO_DISTRIBUTION,
    IMPORT_TO_DISTRIBUTION,
    MARK_TO_DISTRIBUTION,
    OPTION_TO_DISTRIBUTION,
    WELL_KNOWN,
    distribution_of,
)
from featuredel.languages.python.metadata import parse_requirement, read_text


@dataclass(frozen=True, slots=True)
class Used:
    """What a test file names."""

    imports: frozenset[str]  # dotted modules: imported as the file is, or by importorskip
    late_imports: frozenset[str]  # imported inside of functions; strings may be programs too
    arguments: frozenset[str]  # of functions: fixtures, as far as they are not defined
    functions: frozenset[str]  # names of functions: fixtures may be among them
    marks: frozenset[str]


def distributions_used(
    root: Path, test_files: Collection[str], options: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the distributions that the tests may want, sorted; the project's own are left out.

    `options` is pytest's configuration: some keys tell of a plugin.
    """
    used = [one for path in test_files if (one := read_used(root / path))]
    local = local_modules(root)
    imports = {name for one in used for name in one.imports}
    # Inside functions names are often made up for the test: take those that are well known.
    imports |= {
        name
        for one in used
        for name in one.late_imports
        if name.partition(".")[0] in WELL_KNOWN | set(IMPORT_TO_DISTRIBUTION)
    }
    found = {
        distribution
        for name in imports
        if name.partition(".")[0] not in local and (distribution := distribution_of(name))
    }
    defined = {name for one in used for name in one.functions}
    arguments = {name for one in used for name in one.arguments} - defined
    marks = {name for one in used for name in one.marks}
    found |= {FIXTURE_TO_DISTRIBUTION[name] for name in arguments & set(FIXTURE_TO_DISTRIBUTION)}
    found |= {MARK_TO_DISTRIBUTION[name] for name in marks & set(MARK_TO_DISTRIBUTION)}
    found |= {OPTION_TO_DISTRIBUTION[name] for name in options if name in OPTION_TO_DISTRIBUTION}
    found |= set(_required_plugins(options.get("required_plugins", "")))
    return tuple(sorted(found))


def read_used(path: Path) -> Used | None:
    """Return what a file names, None if it does not parse."""
    try:
        module = ast.parse(read_text(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    arguments: set[str] = set()
    functions: set[str] = set()
    marks: set[str] = set()
    late: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.add(node.name)
            arguments.update(argument.arg for argument in node.args.args)
            late.update(name for inner in ast.walk(node) for name in _imported(inner))
        elif isinstance(node, ast.Attribute) and _dotted(node.value).endswith("pytest.mark"):
            marks.add(node.attr)
    skipping = {name for node in ast.walk(module) for name in _import_or_skip(node)}
    early = {name for node in _outside_functions(module) for name in _imported(node)}
    return Used(
        imports=frozenset(early | skipping),
        late_imports=frozenset(late),
        arguments=frozenset(arguments),
        functions=frozenset(functions),
        marks=frozenset(marks),
    )


def local_modules(root: Path) -> frozenset[str]:
    """Return every name that an import could find inside the tree."""
    names: set[str] = set()
    for path in root.rglob("*.py"):
        names.add(path.stem)
        names.update(path.relative_to(root).parts[:-1])
    return frozenset(names)


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        yield node.module


def _import_or_skip(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and node.args and _dotted(node.func).endswith("importorskip"):
        argument = node.args[0]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield argument.value


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _outside_functions(child)


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _required_plugins(text: str) -> Iterator[str]:
    for word in text.split():
        requirement = parse_requirement(word)
        if requirement is not None:
            yield str(requirement)
