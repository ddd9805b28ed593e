"""repos.yaml and settings.

```yaml
defaults:                  # any setting or key of a repository, for all of them
  max_tasks: 20
licences:                  # optional; permissive licences are allowed, unknown ones refused
  allow: [MIT, BSD-*, Apache-2.0]
  refuse: [GPL-*]
  unknown: refuse
repositories:
  - source: pkg:pypi/more-itertools@11.2.1
    sha256: cbf08fd0...
  - source: git+https://host/path@v1.2     # a commit, tag or branch
    name: path
    install: [".[test]", "pytest-mock"]    # instead of what the project's own metadata say
    test: [tests/unit]
    python: "3.12"
    licence: MIT
    test_timeout_s: 20                     # any setting
  - source: ../checkout                    # its tracked files as they are on disk; all, without git
```
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import InvalidRequirement, Requirement

from featuredel.document import Range, Value, read_document
from featuredel.errors import UsageError
from featuredel.model import Form
from featuredel.sources import Source, parse_sha256, parse_source
from featuredel.sources.licences import LicencePolicy

Count = Annotated[int, Range(0, 1 << 53)]
Positive = Annotated[int, Range(1, 1 << 53)]
Seconds = Annotated[float, Range(0.001, 1e6)]
Share = Annotated[float, Range(0, 1)]


@dataclass(frozen=True, slots=True)
class Settings:
    """Every choice and limit, with its default. Units stand in the names."""

    seed: Count = 0
    """Of everything that is chosen at random."""

    forms: tuple[Form, ...] = ("removal",)
    """`removal` deletes a feature whole; `stub` keeps signatures and docstrings."""

    sandbox: Literal["auto", "bubblewrap", "docker", "account", "none"] = "auto"
    """Where repository code runs. `none` is no protection at all."""

    base_image: str = ""
    """What the Docker sandbox stands on, pinned: `NAME@sha256:...`, or the id `sha256:...` of an
    image on this machine. By default it is the one that `make base-image` made."""

    exclude_newer: date | None = None
    """Dependencies are resolved as of this date; by default the snapshot's own release date."""

    max_tasks: Positive = 20
    """Accepted tasks of a repository."""

    max_candidates: Positive = 40
    """Features of a repository that are tried: those for which a tree is written."""

    min_tests: Positive = 2
    """A feature with fewer tests than this is not tried."""

    min_lines: Positive = 6
    """A feature with fewer code lines than this is not tried."""

    max_lines: Positive = 5000
    """A feature with more code lines than this is not tried."""

    max_overlap: Share = 0.5
    """Two features of a repository share at most this part of their definitions (Jaccard)."""

    validation_share: Share = 0.0
    """Of the repositories, by a hash of their names: their tasks form the split `validation`."""

    min_f2p_share: Share = 0.2
    """Of the tests that reach what is deleted, at least this part must fail. The others stay P2P:
    they pass through the feature on the way to something else, or say what must not happen."""

    max_trivial_share: Share = 0.5
    """A candidate of which a trivial solver turns more than this part of F2P is rejected."""

    max_collateral_share: Share = 0.1
    """Code lines cut inside definitions that stay, against the code lines of the feature."""

    repeats: Positive = 2
    """How often failing before and passing after the gold patch must be seen."""

    confirm: Literal["full", "affected"] = "full"
    """What of the visible suite an accepted candidate has passed on its exact tree: everything, or
    what can reach a changed file."""

    audit_share: Share = 0.02
    """With `confirm: affected`, for this share of the candidates everything is run as well. If
    that finds what was missed, the repository is confirmed in full from the start."""

    baseline_runs: Annotated[int, Range(2)] = 3
    """Whole runs of the suite in which a test must pass: as given, reordered, other hash seed."""

    mutants: Count = 10
    """Wrong variants of the gold code that measure the strength of the reward."""

    test_timeout_s: Seconds = 60.0
    """For one test."""

    suite_timeout_s: Seconds = 900.0
    """For one run of the tests."""

    build_timeout_s: Seconds = 900.0
    """For one step of building the environment."""

    memory_bytes: Annotated[int, Range(64 << 20, 1 << 53)] = 4 << 30
    """For one process in the sandbox."""

    processes: Positive = 256
    """In one sandbox at a time."""

    max_archive_bytes: Positive = 256 << 20
    """A larger source archive is rejected."""

    max_tree_bytes: Positive = 512 << 20
    """A tree with more in it is rejected."""

    max_file_bytes: Positive = 32 << 20
    """A tree that holds a larger file is rejected."""

    max_files: Positive = 50_000
    """A tree with more files is rejected."""


@dataclass(frozen=True, slots=True)
class Install:
    """What to install instead of what the project's own metadata say."""

    requirements: tuple[str, ...] = ()
    """Requirement strings: `pytest>=8`."""

    extras: tuple[str, ...] = ()
    """Extras of the project itself; `.[test]` among the requirements says the same."""

    groups: tuple[str, ...] = ()
    """Dependency groups of the project itself."""


@dataclass(frozen=True, slots=True)
class RepositorySpec:
    """One entry of `repositories`, with the defaults filled in."""

    name: str  # unique in the file
    source: str  # as written
    origin: Source  # what `source` means
    install: Install | None = None
    test: tuple[
        str, ...
    ] = ()  # test roots and arguments of the runner; () leaves it to the project
    python: str | None = None  # a version: "3.12"
    licence: str | None = None  # a valid SPDX expression
    settings: Settings = field(default_factory=Settings)
    licences: LicencePolicy = field(default_factory=LicencePolicy)
    place: str = ""  # where `source` stands, for errors: "repos.yaml:12: repositories[0].source"


@dataclass(frozen=True, slots=True)
class Config:
    """What a repos.yaml says."""

    repositories: tuple[RepositorySpec, ...]
    settings: Settings  # the defaults

    def narrowed(
        self, only: Collection[str] = (), seed: int | None = None, sandbox: str | None = None
    ) -> "Config":
        """Return the same for some repositories (all, if none is named), seed or sandbox replaced.

        Raises `UsageError` for a name that is not there.
        """
        names = [spec.name for spec in self.repositories]
        if unknown := sorted(set(only) - set(names)):
            raise UsageError(f"no repository {unknown[0]!r}; there are {', '.join(names)}")
        kept = [spec for spec in self.repositories if not only or spec.name in only]
        other: dict[str, Any] = {"seed": seed, "sandbox": sandbox}
        other = {name: value for name, value in other.items() if value is not None}
        kept = [replace(spec, settings=replace(spec.settings, **other)) for spec in kept]
        return Config(tuple(kept), replace(self.settings, **other))


_SETTINGS: dict[str, Any] = get_type_hints(Settings, include_extras=True)
_SHARED_KEYS = frozenset({"install", "test", "python", "licence"})
_OWN_KEYS = frozenset({"source", "name", "sha256"})
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_IMAGE = re.compile(r"(?:[^@\s]+@)?sha256:[0-9a-f]{64}")
_PYTHON = re.compile(r"3\.\d+(?:\.\d+)?")


def load(path: Path) -> Config:
    """Return what the file says.

    Raises `UsageError`, one line with file, line and key, for anything that is not as it must be.
    """
    top = read_document(path).mapping(("defaults", "licences", "repositories"))
    shared: Mapping[str, Value] = {}
    if "defaults" in top:
        shared = top["defaults"].mapping(_SHARED_KEYS | set(_SETTINGS))
    settings = _settings(Settings(), shared)
    policy = _policy(top["licences"]) if "licences" in top else LicencePolicy()
    if "repositories" not in top:
        raise UsageError(f"{path}: no 'repositories'; list at least one 'source' under it")
    items = top["repositories"].items()
    if not items:
        raise top["repositories"].error("is empty; list at least one 'source'")
    specs: dict[str, RepositorySpec] = {}
    for item in items:
        spec = _repository(item, shared, settings, policy)
        if spec.name in specs:
            other = specs[spec.name].source
            raise item.error(f"the name {spec.name!r} is taken by {other!r}; set another 'name'")
        specs[spec.name] = spec
    return Config(tuple(specs.values()), settings)


def _repository(
    item: Value, shared: Mapping[str, Value], settings: Settings, policy: LicencePolicy
) -> RepositorySpec:
    own = item.mapping(_OWN_KEYS | _SHARED_KEYS | set(_SETTINGS))
    if "source" not in own:
        raise item.error("no 'source'")
    source = own["source"]
    digest = _checked(own["sha256"], parse_sha256) if "sha256" in own else None
    origin = _checked(source, lambda text: parse_source(text, item.file.parent, digest))
    values = {**shared, **own}
    name = own["name"].text() if "name" in own else origin.default_name
    if not _NAME.fullmatch(name):
        named = own.get("name", source)
        raise named.error(f"{name!r} cannot name a repository; use letters, digits, '.', '_', '-'")
    return RepositorySpec(
        name=name,
        source=source.text(),
        origin=origin,
        install=_install(values["install"]) if "install" in values else None,
        test=values["test"].texts() if "test" in values else (),
        python=_checked(values["python"], _python) if "python" in values else None,
        licence=_checked(values["licence"], _licence) if "licence" in values else None,
        settings=_settings(settings, own),
        licences=policy,
        place=source.place,
    )


def _settings(base: Settings, values: Mapping[str, Value]) -> Settings:
    given = {
        name: value.convert(_SETTINGS[name]) for name, value in values.items() if name in _SETTINGS
    }
    if "base_image" in values:
        _checked(values["base_image"], _pinned)
    return replace(base, **given)


def _policy(value: Value) -> LicencePolicy:
    hints = get_type_hints(LicencePolicy)
    given = value.mapping(hints)
    return LicencePolicy(**{name: item.convert(hints[name]) for name, item in given.items()})


def _install(value: Value) -> Install:
    if value.is_mapping():
        keys = value.mapping([item.name for item in fields(Install)])
        lists = {name: item.texts() for name, item in keys.items() if name != "requirements"}
        requirements = keys["requirements"].items() if "requirements" in keys else []
    else:
        lists, requirements = {}, value.items()
    extras, others = list(lists.get("extras", ())), []
    for item in requirements:
        text = item.text()
        if match := re.fullmatch(r"\.(?:\[([\w\s,.-]*)\])?", text):
            extras += [extra.strip() for extra in (match[1] or "").split(",") if extra.strip()]
        else:
            others.append(_checked(item, _requirement))
    return Install(tuple(others), tuple(dict.fromkeys(extras)), lists.get("groups", ()))


def _checked(value: Value, parse: Any) -> Any:
    """Return `parse` of the text; its `ValueError` becomes one that names the place."""
    try:
        return parse(value.text())
    except ValueError as error:
        raise value.error(str(error)) from error


def _requirement(text: str) -> str:
    try:
        return str(Requirement(text))
    except InvalidRequirement as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"{text!r} is no requirement: {reason}") from error


def _python(text: str) -> str:
    if not _PYTHON.fullmatch(text):
        raise ValueError(f"{text!r} is no Python version; write it like '3.12'")
    return text


def _pinned(text: str) -> str:
    if not _IMAGE.fullmatch(text):
        raise ValueError(f"{text!r} is not pinned; write it as NAME@sha256:..., or sha256:...")
    return text


def _licence(text: str) -> str:
    try:
        return str(canonicalize_license_expression(text))
    except InvalidLicenseExpression as error:
        raise ValueError(f"{text!r} is no SPDX licence expression") from error
