"""What a Python project says of itself: read from its files, nothing of it is run.

`pyproject.toml` first; for what it leaves to the build, the `PKG-INFO` that source archives
carry, then `setup.cfg`, the literals in `setup.py` and `*.egg-info/requires.txt`.
"""

import ast
import configparser
import email
import email.message
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

MAX_FILE_BYTES = 1 << 20
"""Metadata files larger than this are not read."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """Name, versions, dependencies. Names of extras are normalised."""

    name: str  # canonical, "" if unknown
    requires_python: str  # specifiers, "" if unknown
    classifiers: tuple[str, ...]
    dependencies: tuple[str, ...]
    extras: Mapping[str, tuple[str, ...]]
    buildable: bool  # has something that a build front-end can build
    pyproject: Mapping[str, Any] = field(default_factory=dict)
    setup_cfg: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    setup_py: Mapping[str, Any] = field(default_factory=dict)  # literal arguments of setup()


def read_text(path: Path) -> str:
    """Return a small file's text, "" if it is missing, too large or a link."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def read_metadata(root: Path) -> Metadata:
    """Return what the project at `root` says of itself."""
    pyproject = read_toml(root / "pyproject.toml")
    setup_cfg = read_ini(read_text(root / "setup.cfg"))
    setup_py = _setup_arguments(read_text(root / "setup.py"))
    package = email.message_from_string(read_text(root / "PKG-INFO"))
    project = table(pyproject, "project")
    options = setup_cfg.get("options", {})
    names = (
        project.get("name"),
        table(pyproject, "tool", "poetry").get("name"),
        package["Name"],
        setup_cfg.get("metadata", {}).get("name"),
        setup_py.get("name"),
    )
    pythons = (
        project.get("requires-python"),
        package["Requires-Python"],
        options.get("python_requires"),
        setup_py.get("python_requires"),
    )
    dependencies, extras = _dependencies(root, project, package, options, setup_cfg, setup_py)
    return Metadata(
        name=canonicalize_name(next((n for n in names if isinstance(n, str) and n), "")),
        requires_python=next((p for p in pythons if isinstance(p, str) and p), ""),
        classifiers=_classifiers(project, package, setup_cfg, setup_py),
        dependencies=dependencies,
        extras=extras,
        buildable=any(
            (
                "project" in pyproject,
                "build-system" in pyproject,
                (root / "setup.py").is_file(),
                setup_cfg.get("metadata", {}).get("name"),
            )
        ),
        pyproject=pyproject,
        setup_cfg=setup_cfg,
        setup_py=setup_py,
    )


def requires(message: email.message.Message) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Return dependencies and extras from core metadata's `Requires-Dist` fields."""
    plain: list[str] = []
    extras: dict[str, list[str]] = {
        canonicalize_name(name): [] for name in message.get_all("Provides-Extra", [])
    }
    for text in message.get_all("Requires-Dist", []):
        requirement = parse_requirement(text)
        if requirement is None:
            continue
        if requirement.marker is None or "extra" not in str(requirement.marker):
            plain.append(str(requirement))
            continue
        for extra, found in extras.items():
            without = _without_extra(requirement, extra)
            if without:
                found.append(without)
    return tuple(plain), {name: tuple(found) for name, found in extras.items()}


def parse_requirement(text: str) -> Requirement | None:
    """Return a requirement that an index can fulfil; None for URLs, paths and nonsense."""
    try:
        requirement = Requirement(text.strip())
    except InvalidRequirement:
        return None
    return None if requirement.url else requirement


def read_toml(path: Path) -> dict[str, Any]:
    """Return a TOML file's content, {} if it has none or is broken."""
    try:
        return tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def read_ini(text: str) -> dict[str, dict[str, str]]:
    """Return the sections of an INI text, {} if it is broken."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.optionxform = lambda optionstr: optionstr  # type: ignore[method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    return {
        name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()
    }


def table(data: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return a nested table, {} where any step is missing or something else."""
    found: Any = data
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def strings(value: Any) -> tuple[str, ...]:
    """Return the strings of a list, or of a text with one to a line; () for anything else."""
    if isinstance(value, str):
        lines = (line.strip() for line in value.splitlines())
        return tuple(line for line in lines if line and not line.startswith("#"))
    if isinstance(value, list | tuple | set):
        return tuple(item for item in value if isinstance(item, str))
    return ()


def _without_extra(requirement: Requirement, extra: str) -> str:
    """Return a requirement of `extra` with the rest of its marker, "" if it is not the extra's."""
    marker = str(requirement.marker)
    named = re.search(r"""extra\s*==\s*["']([^"']+)["']""", marker)
    if named is None or canonicalize_name(named.group(1)) != extra:
        return ""
    rest = re.sub(r"(^|\s+and\s+)" + re.escape(named.group()) + r"(\s+and\s+|$)", "", marker)
    bare = str(requirement).partition(";")[0].strip()
    kept = parse_requirement(f"{bare}; {rest}") if rest.strip() else None
    return str(kept) if kept else bare


def _dependencies(
    root: Path,
    project: Mapping[str, Any],
    package: email.message.Message,
    options: Mapping[str, str],
    setup_cfg: Mapping[str, Mapping[str, str]],
    setup_py: Mapping[str, Any],
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Return the first answer that says anything, field by field."""
    plain, extras = requires(package)
    egg_plain, egg_extras = _egg_requires(root)
    declared_extras = [
        project.get("optional-dependencies"),
        extras,
        setup_cfg.get("options.extras_require"),
        setup_py.get("extras_require"),
        egg_extras,
    ]
    choices = (
        strings(project.get("dependencies")),
        plain,
        strings(options.get("install_requires")),
        strings(setup_py.get("install_requires")),
        egg_plain,
    )
    merged: dict[str, tuple[str, ...]] = {}
    for candidate in declared_extras:
        if isinstance(candidate, Mapping):
            for name, items in candidate.items():
                key, _, marker = str(name).partition(":")
                found = strings(items)
                if key and not marker and (found or canonicalize_name(key) not in merged):
                    merged.setdefault(canonicalize_name(key), found)
    return next((choice for choice in choices if choice), ()), merged


def _egg_requires(root: Path) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Read `*.egg-info/requires.txt`: plain lines, then sections `[extra:marker]`."""
    plain: list[str] = []
    extras: dict[str, list[str]] = {}
    for path in sorted((*root.glob("*.egg-info"), *root.glob("src/*.egg-info")))[:1]:
        section, marker = "", ""
        for line in strings(read_text(path / "requires.txt")):
            if line.startswith("["):
                section, _, marker = line.strip("[]").partition(":")
                continue
            text = f"{line}; {marker}" if marker else line
            (extras.setdefault(section, []) if section else plain).append(text)
    return tuple(plain), {name: tuple(items) for name, items in extras.items()}


def _classifiers(
    project: Mapping[str, Any],
    package: email.message.Message,
    setup_cfg: Mapping[str, Mapping[str, str]],
    setup_py: Mapping[str, Any],
) -> tuple[str, ...]:
    choices = (
        strings(project.get("classifiers")),
        tuple(package.get_all("Classifier", [])),
        strings(setup_cfg.get("metadata", {}).get("classifiers")),
        strings(setup_py.get("classifiers")),
    )
    return next((choice for choice in choices if choice), ())


def _setup_arguments(source: str) -> dict[str, Any]:
    """Return the arguments of `setup(...)` that are literals or names of module-level literals."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    names = literal_names(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and _called(node) == "setup":
            pairs = ((k.arg, literal(k.value, names)) for k in node.keywords)
            return {key: value for key, value in pairs if key and value is not None}
    return {}


def literal_names(module: ast.Module) -> dict[str, Any]:
    """Return the module-level names that are bound to literals."""
    names: dict[str, Any] = {}
    for statement in module.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            value = literal(statement.value, names)
            if isinstance(target, ast.Name) and value is not None:
                names[target.id] = value
    return names


def literal(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Return what a literal expression means, None if it is not one; unknown items are left out."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _flat(literal(item, names) for item in node.elts)
    if isinstance(node, ast.Starred):
        return literal(node.value, names)
    if isinstance(node, ast.Dict):
        pairs = (
            (literal(key, names), literal(value, names))
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None
        )
        return {key: value for key, value in pairs if isinstance(key, str) and value is not None}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = literal(node.left, names), literal(node.right, names)
        both_lists = isinstance(left, list) and isinstance(right, list)
        both_texts = isinstance(left, str) and isinstance(right, str)
        return left + right if both_lists or both_texts else left or right
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _flat(items: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for item in items:
        if isinstance(item, list):
            found.extend(item)
        elif item is not None:
            found.append(item)
    return found


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
