"""A prefix's site-packages: laying files in it, and reading which distributions it holds."""

import base64
import configparser
import csv
import email
import email.message
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from featuredel.languages.python.drawn import without_drawn
from featuredel.languages.python.metadata import Metadata, read_ini, read_text, table
from featuredel.sandbox import ENVIRONMENT, WORKSPACE
from featuredel.sources.made import without_description

_NOT_LAID = frozenset({"uv_cache.json", "uv_build.json", ".lock"})
_SCRIPT = """#!{python}
import sys
from {module} import {first}
sys.exit({attribute}())
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """A distribution as its core metadata tell."""

    name: str  # canonical
    version: str
    metadata: email.message.Message


def site_packages(prefix: Path, minor: tuple[int, int]) -> Path:
    """Return where a prefix keeps its modules."""
    return prefix / "lib" / f"python{minor[0]}.{minor[1]}" / "site-packages"


def distributions(folder: Path) -> Iterator[Installed]:
    """Yield the distributions in a site-packages or target folder."""
    for path in sorted(folder.glob("*.dist-info")):
        message = email.message_from_string(read_text(path / "METADATA"))
        if message["Name"]:
            version = str(message["Version"] or "")
            yield Installed(canonicalize_name(str(message["Name"])), version, message)


def lay(built: Path, prefix: Path, minor: tuple[int, int], *, described: bool = True) -> None:
    """Copy what a sandboxed build installed into a folder to where it belongs in a prefix.

    Only regular files cross: the build was in a stranger's hands. They lose what was drawn for the
    build, and RECORD lists them as they are then.
    Metadata lose the long description unless `described`: a project's own is the README, and would
    keep what a deletion takes out of that.
    """
    site = site_packages(prefix, minor)
    laid = []
    for path in sorted(built.rglob("*")):
        relative = path.relative_to(built)
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode) or path.name in _NOT_LAID or "__pycache__" in relative.parts:
            continue
        if relative.parts[0] == "bin":
            continue
        target = site / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)  # it may be a hard link into a shared cache
        target.write_bytes(without_drawn(path.read_bytes()))
        target.chmod(0o644)
        if not described and relative.match("*.dist-info/METADATA"):
            target.write_bytes(without_description(read_text(target)))
        laid.append(target)
    for folder in sorted(built.glob("*.dist-info")):
        laid += _lay_scripts(folder, prefix)
        _write_record(site / folder.name / "RECORD", laid)


def _write_record(record: Path, laid: Iterable[Path]) -> None:
    if not record.parent.is_dir():
        return
    site = record.parent.parent
    rows = [(record.relative_to(site).as_posix(), "", "")]
    for path in laid:
        if path != record:
            content = path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
            place = os.path.relpath(path, site)
            rows.append((place, f"sha256={digest.rstrip('=')}", str(len(content))))
    record.unlink(missing_ok=True)  # as above
    with record.open("x", encoding="utf-8", errors="surrogateescape", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(sorted(rows))


def _lay_scripts(dist_info: Path, prefix: Path) -> Iterator[Path]:
    entries = read_ini(read_text(dist_info / "entry_points.txt"))
    for name, value in entries.get("console_scripts", {}).items():
        match = re.fullmatch(r"\s*([\w.]+)\s*:\s*([\w.]+)\s*(\[.*\])?\s*", value)
        if match and re.fullmatch(r"[\w.-]+", name):
            script = prefix / "bin" / name
            script.unlink(missing_ok=True)
            script.write_text(
                _SCRIPT.format(
                    python=f"{ENVIRONMENT}/bin/python",
                    module=match.group(1),
                    first=match.group(2).partition(".")[0],
                    attribute=match.group(2),
                )
            )
            script.chmod(0o755)
            yield script


def copies(built: Path) -> tuple[str, ...]:
    """Return the modules that an editable install copied, where it should only have pointed."""
    packages = (
        path.relative_to(built).as_posix()
        for path in sorted(built.rglob("*"))
        if path.suffix in (".py", ".so", ".pyd") and path.is_file()
    )
    return tuple(path for path in packages if "/" in path and not path.startswith("bin/"))


def write_by_path(folder: Path, root: Path, metadata: Metadata, version: str) -> None:
    """Write what makes the project importable by path, for one that cannot be built.

    A path file, and the metadata and entry points that the tree itself carries.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{WORKSPACE}/{name}".rstrip("/") for name in import_roots(root)]
    (folder / "_project.pth").write_text("\n".join(lines) + "\n")
    if not metadata.name:
        return
    info = folder / f"{metadata.name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(exist_ok=True)
    header = f"Metadata-Version: 2.1\nName: {metadata.name}\nVersion: {version}\n"
    needs = "".join(f"Requires-Dist: {text}\n" for text in metadata.dependencies)
    (info / "METADATA").write_text(read_text(root / "PKG-INFO") or header + needs)
    (info / "INSTALLER").write_text("featuredel\n")
    (info / "entry_points.txt").write_text(_entry_points(root, metadata))


def _entry_points(root: Path, metadata: Metadata) -> str:
    for path in sorted((*root.glob("*.egg-info"), *root.glob("src/*.egg-info"))):
        text = read_text(path / "entry_points.txt")
        if text:
            return text
    project = table(metadata.pyproject, "project")
    poetry = table(metadata.pyproject, "tool", "poetry")
    sections: dict[str, Mapping[str, Any]] = {
        "console_scripts": table(project, "scripts") or table(poetry, "scripts"),
        **table(project, "entry-points"),
        **table(poetry, "plugins"),
    }
    writer = configparser.RawConfigParser(delimiters=("=",))
    writer.optionxform = lambda optionstr: optionstr  # type: ignore[method-assign]
    lines: list[str] = []
    for section, entries in sections.items():
        if isinstance(entries, Mapping) and entries:
            lines.append(f"[{section}]")
            lines.extend(f"{k} = {v}" for k, v in entries.items() if isinstance(v, str))
    return "\n".join(lines) + "\n"


def import_roots(root: Path) -> tuple[str, ...]:
    """Return the folders of the tree that an import of the project starts from."""
    found = [name for name in ("src", "lib", "python") if _holds_modules(root / name)]
    return (*found, "") if _holds_modules(root) or not found else tuple(found)


def top_level_modules(root: Path) -> frozenset[str]:
    """Return the names under which the project's own packages and modules are imported."""
    names: set[str] = set()
    not_own = {"tests", "test", "testing", "docs", "doc", "examples", "benchmarks", "setup"}
    for folder in (root / name for name in import_roots(root)):
        names |= {path.parent.name for path in folder.glob("*/__init__.py")}
        names |= {path.stem for path in folder.glob("*.py")}
    return frozenset(
        name for name in names - not_own if name.isidentifier() and not name.startswith("test_")
    )


def second_copies(site: Path, modules: Iterable[str]) -> tuple[str, ...]:
    """Return those of the project's modules that some distribution has installed as well."""
    return tuple(
        name
        for name in sorted(modules)
        if (site / name / "__init__.py").exists() or (site / f"{name}.py").exists()
    )


def closure(folder: Path, names: Iterable[str]) -> frozenset[str]:
    """Return distributions and all that they require, by name, as installed in `folder`."""
    known = {found.name: found.metadata for found in distributions(folder)}
    found: set[str] = set()
    waiting: list[str] = [canonicalize_name(name) for name in names]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        texts = known[name].get_all("Requires-Dist", []) if name in known else []
        waiting += [need for text in texts if (need := _needed(text))]
    return frozenset(found)


def _needed(text: str) -> str:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return ""
    if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
        return ""
    return canonicalize_name(requirement.name)


def _holds_modules(folder: Path) -> bool:
    packages = (path.parent.name for path in folder.glob("*/__init__.py"))
    modules = (path.stem for path in folder.glob("*.py"))
    not_own = {
        "tests",
        "test",
        "testing",
        "docs",
        "doc",
        "examples",
        "setup",
        "conftest",
        "noxfile",
    }
    return any(name not in not_own for name in (*packages, *modules))
