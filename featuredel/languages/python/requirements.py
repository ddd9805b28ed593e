"""What to install for a project's tests: read from its own metadata, in order of preference.

Sources are asked from the most to the least telling one. The first that names a distribution
decides its version; later ones add what is missing. What is not for testing (linters, builders of
documentation, type checkers, release tools) and the project itself are left out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from featuredel.languages.python import requirement_files, tox
from featuredel.languages.python.distributions import for_testing, heavy
from featuredel.languages.python.metadata import (
    Metadata,
    parse_requirement,
    read_toml,
    strings,
    table,
)
from featuredel.languages.python.tox import Installed

_NOT_TESTS = re.compile(
    r"doc|lint|typ(e|ing)|mypy|style|bench|release|publish|perf|security|format(ter|ting)|quality"
)
_DEVELOPMENT = re.compile(r"dev|develop|developer|development|ci|local|contrib|dev-dependencies")
_NOT_FEATURES = re.compile(
    r"doc|lint|typ(e|ing)|mypy|style|bench|release|publish|build|example|tutorial|notebook|gpu|cuda"
    r"|dev|test|ci$|pre-?commit|profil|conda|check|cover|type|enabler|tox|nox"
)


@dataclass(frozen=True, slots=True)
class Source:
    """A place that says what the tests need."""

    origin: str  # "extra test", "dependency group tests", "tox"
    requirements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to install: what must be had, and what may be left out where it cannot be had."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    origins: tuple[str, ...]  # of `required`


def wanted(root: Path, metadata: Metadata) -> Wanted:
    """Return what the project at `root` says its tests need."""
    groups = Groups(root, metadata)
    testing = tuple(_testing_sources(root, metadata, groups))
    if not any(source.requirements for source in testing):
        testing = tuple(_development_sources(root, metadata, groups))
    named = (Source("dependencies", metadata.dependencies), *testing)
    required = merged(metadata.name, named)
    features = (
        Source(f"extra {name}", groups.of_extra(name))
        for name in metadata.extras
        if not _NOT_FEATURES.search(name)
    )
    known = {canonicalize_name(Requirement(text).name) for text in required}
    optional = (
        text
        for text in merged(metadata.name, features)
        if canonicalize_name(Requirement(text).name) not in known
        and not heavy(Requirement(text).name)
    )
    origins = tuple(source.origin for source in testing if source.requirements)
    return Wanted(required, tuple(optional), origins)


def merged(project: str, sources: Iterable[Source]) -> tuple[str, ...]:
    """Return the requirements of all sources; the first that names a distribution decides."""
    decided: dict[str, str] = {}  # distribution -> origin
    found: dict[str, None] = {}
    for source in sources:
        for text in source.requirements:
            requirement = parse_requirement(text)
            if requirement is None or not _belongs(requirement, project):
                continue
            name = canonicalize_name(requirement.name)
            # One source may name a distribution more than once, each under a marker of its own.
            if decided.setdefault(name, source.origin) == source.origin:
                found.setdefault(str(requirement))
    return tuple(found)


def _belongs(requirement: Requirement, project: str) -> bool:
    name = canonicalize_name(requirement.name)
    return name != project and for_testing(name)


class Groups:
    """The project's named lists of requirements, with what they include."""

    def __init__(self, root: Path, metadata: Metadata) -> None:
        """Read nothing yet but what `metadata` already holds."""
        self.root = root
        self.metadata = metadata
        self.pep735 = table(metadata.pyproject, "dependency-groups")

    def of_extra(self, name: str, seen: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """Return an extra's requirements; extras of the project itself are followed."""
        key = canonicalize_name(name)
        if key in seen:
            return ()
        return tuple(self._followed(self.metadata.extras.get(key, ()), seen | {key}))

    def of_group(self, name: str, seen: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """Return a PEP 735 group's requirements, with the groups that it includes."""
        wanted_key = canonicalize_name(name)
        if wanted_key in seen:
            return ()
        found: list[str] = []
        for key, items in self.pep735.items():
            if canonicalize_name(str(key)) != wanted_key or not isinstance(items, list):
                continue
            for item in items:
                if isinstance(item, str):
                    found.extend(self._followed((item,), frozenset()))
                elif isinstance(item, Mapping) and isinstance(item.get("include-group"), str):
                    found.extend(self.of_group(item["include-group"], seen | {wanted_key}))
        return tuple(found)

    def installed(self, wishes: Installed) -> tuple[str, ...]:
        """Return the requirements that a tox or nox session comes down to."""
        found = list(self._followed(wishes.requirements, frozenset()))
        for path in wishes.files:
            found.extend(requirement_files.read_requirements(self.root, path))
        for name in wishes.extras:
            found.extend(self.of_extra(name))
        for name in wishes.groups:
            found.extend(self.of_group(name))
        return tuple(found)

    def _followed(self, items: Iterable[str], seen: frozenset[str]) -> Iterator[str]:
        for item in items:
            try:
                requirement = Requirement(item)
            except InvalidRequirement:
                continue
            if canonicalize_name(requirement.name) == self.metadata.name:
                for extra in sorted(requirement.extras):
                    yield from self.of_extra(extra, seen)
            else:
                yield item


def _testing_sources(root: Path, metadata: Metadata, groups: Groups) -> Iterator[Source]:
    for name in _tests_first(metadata.extras):
        yield Source(f"extra {name}", groups.of_extra(name))
    for name in _tests_first(groups.pep735):
        yield Source(f"dependency group {name}", groups.of_group(name))
    for origin, name, items in _tool_groups(root, metadata):
        if _is_test(name):
            yield Source(f"{origin} {name}", items)
    for path in requirement_files.test_files(root):
        yield Source(path, requirement_files.read_requirements(root, path))
    yield Source("tox", groups.installed(tox.from_tox(root, metadata.pyproject)))
    yield Source("nox", groups.installed(tox.from_nox(root)))
    options = metadata.setup_cfg.get("options", {})
    yield Source("setup.cfg tests_require", strings(options.get("tests_require")))
    yield Source("setup.py tests_require", strings(metadata.setup_py.get("tests_require")))


def _development_sources(root: Path, metadata: Metadata, groups: Groups) -> Iterator[Source]:
    for name in metadata.extras:
        if _DEVELOPMENT.fullmatch(name):
            yield Source(f"extra {name}", groups.of_extra(name))
    for name in groups.pep735:
        if _DEVELOPMENT.fullmatch(canonicalize_name(name)):
            yield Source(f"dependency group {name}", groups.of_group(name))
    for origin, name, items in _tool_groups(root, metadata):
        if _DEVELOPMENT.fullmatch(name):
            yield Source(f"{origin} {name}", items)
    for path in requirement_files.development_files(root):
        yield Source(path, requirement_files.read_requirements(root, path))


def _tests_first(names: Iterable[str]) -> list[str]:
    """Return the names that stand for tests, the plainest first."""
    plain = ("test", "tests", "testing")
    found = [name for name in names if _is_test(name)]
    return sorted(found, key=lambda name: (canonicalize_name(name) not in plain, len(name), name))


def _is_test(name: str) -> bool:
    return "test" in name.lower() and not _NOT_TESTS.search(name.lower())


def _tool_groups(root: Path, metadata: Metadata) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield (tool, group, requirements) from the tables that tools keep for themselves."""
    tool = table(metadata.pyproject, "tool")
    poetry = table(tool, "poetry")
    for name, group in table(poetry, "group").items():
        yield "poetry group", canonicalize_name(name), poetry_list(table(group, "dependencies"))
    yield "poetry", "dev", poetry_list(table(poetry, "dev-dependencies"))
    for name, items in table(tool, "pdm", "dev-dependencies").items():
        yield "pdm group", canonicalize_name(name), strings(items)
    yield "uv", "dev", strings(table(tool, "uv").get("dev-dependencies"))
    environments = {**table(tool, "hatch", "envs"), **table(read_toml(root / "hatch.toml"), "envs")}
    groups = Groups(root, metadata)
    for name, environment in environments.items():
        section = environment if isinstance(environment, Mapping) else {}
        wishes = Installed(
            requirements=(
                *strings(section.get("dependencies")),
                *strings(section.get("extra-dependencies")),
            ),
            extras=strings(section.get("features")),
            groups=strings(section.get("dependency-groups")),
        )
        named = "dev" if name == "default" else canonicalize_name(name)
        yield "hatch environment", named, groups.installed(wishes)
    pipfile = read_toml(root / "Pipfile")
    yield "Pipfile", "dev", poetry_list(table(pipfile, "dev-packages"))


def poetry_list(dependencies: Mapping[str, Any]) -> tuple[str, ...]:
    """Return poetry's table of dependencies as plain requirements."""
    found: list[str] = []
    for name, value in dependencies.items():
        if name.lower() == "python":
            continue
        for item in value if isinstance(value, list) else [value]:
            text = _poetry_requirement(name, item)
            if text:
                found.append(text)
    return tuple(found)


def _poetry_requirement(name: str, value: Any) -> str:
    if isinstance(value, str):
        return f"{name}{poetry_specifiers(value)}"
    if not isinstance(value, Mapping) or {"git", "path", "url", "file"} & set(value):
        return ""
    extras = ",".join(strings(value.get("extras")))
    version = value.get("version", "*")
    markers = [f"({value['markers']})"] if isinstance(value.get("markers"), str) else []
    if isinstance(value.get("python"), str):
        specifiers = poetry_specifiers(value["python"]).split(",")
        for specifier in specifiers:
            operator = re.match(r"[<>=!~]+", specifier)
            if operator:
                number = specifier[operator.end() :].strip()
                markers.append(f'python_version {operator.group()} "{number}"')
    text = f"{name}[{extras}]" if extras else name
    text += poetry_specifiers(version if isinstance(version, str) else "*")
    return f"{text}; {' and '.join(markers)}" if markers else text


def poetry_specifiers(constraint: str) -> str:
    """Return poetry's `^1.2`, `~1.2`, `1.*` and `*` as plain specifiers; "" for any version."""
    found: list[str] = []
    for part in re.split(r"\s*,\s*|(?<=\d)\s+(?=[<>=!^~])", constraint.partition("||")[0].strip()):
        match = re.match(r"(\^|~(?!=))\s*v?(\d+(?:\.\d+)*)(.*)$", part)
        if match:
            found.extend(_caret(match.group(1), match.group(2), match.group(3)))
        elif re.match(r"v?\d", part):
            found.append(f"=={part.lstrip('v')}")
        elif part not in ("*", ""):
            found.append(part.replace(" ", ""))
    text = ",".join(found)
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return ""
    return text


def _caret(operator: str, numbers: str, suffix: str) -> tuple[str, str]:
    parts = [int(number) for number in numbers.split(".")]
    if operator == "~":
        kept = parts[:2] if len(parts) > 1 else parts
    else:
        first = next((i for i, number in enumerate(parts) if number), len(parts) - 1)
        kept = parts[: first + 1]
    upper = [*kept[:-1], kept[-1] + 1]
    return f">={numbers}{suffix}", f"<{'.'.join(map(str, upper))}"
