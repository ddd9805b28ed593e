"""Where each file of an environment is from; one that nothing explains is a finding.

There are four explanations. A *wheel* of the lock lists the file in its RECORD with this sha256. A
*build*, whose command is recorded, left it so. It is *bytecode* of a source that lies beside it
and is explained itself. It is a *link* to a file of the environment or of the base interpreter.
"""

import _imp
import base64
import csv
import functools
import hashlib
import json
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from featuredel.leaks.base import source_of
from featuredel.leaks.finding import Finding
from featuredel.model import Environment

RECORD = "built.json"
"""Beside a prefix: what was built rather than unpacked, by path; its sha256 and the command."""

_UNCHECKED_HASH = 0b01


@dataclass(frozen=True, slots=True)
class Provenance:
    """How many files of an environment have which explanation, and what has none."""

    files: Mapping[str, int]
    findings: tuple[Finding, ...]


def record(prefix: Path, before: Mapping[str, str], command: str) -> dict[str, tuple[str, str]]:
    """Return what a command has made or changed in a prefix, as it is to be recorded.

    `before` is what `contents` returned before the command.
    """
    after = contents(prefix)
    return {path: (found, command) for path, found in after.items() if before.get(path) != found}


def contents(prefix: Path) -> dict[str, str]:
    """Return the sha256 of each regular file below `prefix`, by its path there."""
    return {
        path.relative_to(prefix).as_posix(): _digest(path)
        for path in _files(prefix)
        if path.is_file() and not path.is_symlink()
    }


def explain(environment: Environment) -> Provenance:
    """Return where the files of an environment are from.

    The environments of a machine do not change; each is looked at once in a process.
    """
    return _explain(environment.prefix, environment.home, frozenset(environment.lock))


@functools.cache
def _explain(prefix: Path, home: Path, lock: frozenset[str]) -> Provenance:
    built = json.loads((prefix.parent / RECORD).read_text())
    packed = dict(_of_wheels(prefix, lock))
    counts: Counter[str] = Counter()
    findings = []
    for path in _files(prefix):
        name = path.relative_to(prefix).as_posix()
        why = _why(path, name, prefix, home, packed, built)
        if why is None:
            detail = "no wheel, build or source explains this file"
            findings.append(Finding(str(path), "names", "provenance", "", detail))
        else:
            counts[why] += 1
    return Provenance(dict(sorted(counts.items())), tuple(findings))


def _why(
    path: Path, name: str, prefix: Path, home: Path,
    packed: Mapping[str, str], built: Mapping[str, tuple[str, str]],
) -> str | None:  # fmt: skip
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        target = path.parent / path.readlink()
        inside = os.path.normpath(target)
        is_own = any(f"{inside}/".startswith(f"{root}/") for root in (prefix, home))
        return "link" if is_own else None
    if not stat.S_ISREG(mode):
        return None
    found = _digest(path)
    if packed.get(name) == found:
        return "wheel"
    if name in built and built[name][0] == found:
        return "build"
    if path.suffix == ".pyc" and _is_of_its_source(path):
        source = source_of(path).relative_to(prefix).as_posix()
        return "bytecode" if source in packed or source in built else None
    return None


def _of_wheels(prefix: Path, lock: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the files that the wheels of a lock list, with their sha256."""
    pins = {_normal(pin) for pin in lock}
    for listing in sorted(prefix.glob("lib/python*/site-packages/*.dist-info/RECORD")):
        site, folder = listing.parent.parent, listing.parent.name
        project, _, version = folder.removesuffix(".dist-info").rpartition("-")
        if f"{canonicalize_name(project)}=={version}" not in pins:
            continue
        name = (listing.relative_to(prefix)).as_posix()
        yield name, _digest(listing)  # a RECORD cannot list itself
        for row in csv.reader(listing.read_text(encoding="utf-8").splitlines()):
            if len(row) >= 2 and row[1].startswith("sha256="):
                place = os.path.normpath(site / row[0])
                digest = base64.urlsafe_b64decode(row[1].removeprefix("sha256=") + "==").hex()
                yield Path(place).relative_to(prefix).as_posix(), digest


def _is_of_its_source(bytecode: Path) -> bool:
    """Return whether a file of bytecode bears the hash of the source that lies beside it."""
    source = source_of(bytecode)
    with bytecode.open("rb") as file:
        header = file.read(16)
    if len(header) < 16 or not source.is_file():
        return False
    flags, found = int.from_bytes(header[4:8], "little"), header[8:16]
    return flags & _UNCHECKED_HASH == 1 and found == _source_hash(header[:4], source.read_bytes())


def _source_hash(magic: bytes, source: bytes) -> bytes:
    # as `importlib.util.source_hash`, which knows this interpreter's magic number only
    return _imp.source_hash(int.from_bytes(magic, "little"), source)


def _normal(pin: str) -> str:
    name, _, version = pin.partition("==")
    return f"{canonicalize_name(name)}=={version}"


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders.sort()
        links = [name for name in folders if Path(folder, name).is_symlink()]
        yield from (Path(folder, name) for name in sorted((*files, *links)))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
