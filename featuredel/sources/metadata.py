"""What a Python project says of itself in files, read without running anything of it."""

import configparser
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.metadata import parse_email


@dataclass(frozen=True, slots=True)
class ProjectMetadata:
    """Version and licence as stated; None or empty where nothing is."""

    version: str | None = None
    licence_expression: str | None = None  # meant to be SPDX, not checked
    licence_text: str | None = None  # whatever stands in a licence field
    classifiers: tuple[str, ...] = ()


def read_project_metadata(root: Path) -> ProjectMetadata:
    """Return what PKG-INFO says, else pyproject.toml, else setup.cfg, field by field."""
    found = [_pkg_info(root), _pyproject(root), _setup_cfg(root)]
    return ProjectMetadata(
        version=next((item.version for item in found if item.version), None),
        licence_expression=next(
            (item.licence_expression for item in found if item.licence_expression), None
        ),
        licence_text=next((item.licence_text for item in found if item.licence_text), None),
        classifiers=next((item.classifiers for item in found if item.classifiers), ()),
    )


def _pkg_info(root: Path) -> ProjectMetadata:
    content = _read(root / "PKG-INFO")
    if content is None:
        return ProjectMetadata()
    raw, _ = parse_email(content)
    return ProjectMetadata(
        raw.get("version"),
        raw.get("license_expression"),
        raw.get("license"),
        tuple(raw.get("classifiers", ())),
    )


def _pyproject(root: Path) -> ProjectMetadata:
    try:
        document = tomllib.loads((_read(root / "pyproject.toml") or b"").decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return ProjectMetadata()
    project = _table(document, "project")
    poetry = _table(_table(document, "tool"), "poetry")
    licence = project.get("license")
    expression = licence if isinstance(licence, str) else None
    text = _table(project, "license").get("text") or poetry.get("license")
    return ProjectMetadata(
        _text(project.get("version")) or _text(poetry.get("version")),
        expression,
        _text(text),
        _texts(project.get("classifiers")) or _texts(poetry.get("classifiers")),
    )


def _setup_cfg(root: Path) -> ProjectMetadata:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string((_read(root / "setup.cfg") or b"").decode())
    except (configparser.Error, UnicodeDecodeError):
        return ProjectMetadata()
    stated = dict(parser["metadata"]) if parser.has_section("metadata") else {}
    version = stated.get("version", "")
    classifiers = (stated.get("classifiers") or stated.get("classifier") or "").splitlines()
    return ProjectMetadata(
        # "attr: pkg.__version__" would have to be run
        version if version and ":" not in version else None,
        None,
        stated.get("license"),
        tuple(line.strip() for line in classifiers if line.strip()),
    )


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
