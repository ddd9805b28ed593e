"""Where each file of an environment is from; one that nothing explains is a finding.

There are four explanations. A *wheel* of the lock lists the file in its RECORD with this sha256. A
*build*, whose command and inputs are recorded, left it so, and left the same when it was repeated.
It is *bytecode* of a source that lies beside it and is explained itself. It is a *link* to a file
of the environment or of the base interpreter.
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
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from packaging.utils import canonicalize_name

from featuredel.leaks.base import source_of
from featuredel.leaks.finding import Finding
from featuredel.model import Environment
from featuredel.sandbox import ENVIRONMENT, WORKSPACE

RECORD = "built.json"
"""Beside a prefix: what was built rather than unpacked, a `Product` by its path in the sandbox."""

_UNCHECKED_HASH = 0b01


@dataclass(frozen=True, slots=True)
class Product:
    """A file that a build left, and how it came out when the build was repeated."""

    sha256: str
    command: str
    inputs: str  # names and hashes: of the source archive, or of the tree; "" if not known
    same_again: bool = False  # the second build, of the same inputs, left the same bytes


@dataclass(frozen=True, slots=True)
class Provenance:
    """How many files of an environment have which explanation, and what has none."""

    files: Mapping[str, int]
    findings: tuple[Finding, ...]


def record(
    root: Path, target: str, before: Mapping[str, str], command: str, inputs: str
) -> dict[str, Product]:
    """Return what a command has made or changed below `root`, by its path below `target`.

    `before` is what `contents` returned before the command.
    """
    return {
        f"{target}/{path}": Product(found, command, inputs)
        for path, found in contents(root).items()
        if before.get(path) != found
    }


def compared(first: Mapping[str, Product], second: Mapping[str, Product]) -> dict[str, Product]:
    """Return the products of a build as its repetition shows them.

    Of inputs that are not known nobody can tell that they were the same.
    """
    return {
        path: replace(product, same_again=bool(product.inputs) and product == second.get(path))
        for path, product in first.items()
    }


def write(products: Mapping[str, Product], folder: Path) -> None:
    """Record products beside the prefix that is, or will be, in `folder`."""
    told = {path: asdict(product) for path, product in products.items()}
    (folder / RECORD).write_text(json.dumps(told, indent=1, sort_keys=True))


def contents(root: Path) -> dict[str, str]:
    """Return the sha256 of each regular file below `root`, by its path there."""
    return {
        path.relative_to(root).as_posix(): _digest(path)
        for path in _files(root)
        if path.is_file() and not path.is_symlink()
    }


def explain(environment: Environment) -> Provenance:
    """Return where the files of an environment are from.

    The environments of a machine do not change; each is looked at once in a process.
    """
    lock = frozenset(environment.lock)
    return _explain(environment.prefix, environment.home, environment.products, lock)


@functools.cache
def _explain(prefix: Path, home: Path, products: Path | None, lock: frozenset[str]) -> Provenance:
    recorded = json.loads((prefix.parent / RECORD).read_text())
    built = {path: Product(**product) for path, product in recorded.items()}
    sources = _Sources(prefix, home, dict(_of_wheels(prefix, lock)), built)
    counts: Counter[str] = Counter()
    findings = []
    places = {prefix: ENVIRONMENT} | ({products: WORKSPACE} if products else {})
    for root, target in places.items():
        for path in _files(root):
            seen = f"{target}/{path.relative_to(root).as_posix()}"
            why = sources.explain(path, seen)
            if why is None:
                detail = sources.doubt(path, seen)
                findings.append(Finding(str(path), "names", "provenance", "", detail))
            else:
                counts[why] += 1
    return Provenance(dict(sorted(counts.items())), tuple(findings))


@dataclass(frozen=True, slots=True)
class _Sources:
    """Where the files of an environment may be from; paths are those in the sandbox."""

    prefix: Path
    home: Path
    packed: Mapping[str, str]  # sha256 of what the wheels of the lock list
    built: Mapping[str, Product]

    def explain(self, path: Path, seen: str) -> str | None:
        """Return the explanation of a file, if it has one."""
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            inside = os.path.normpath(path.parent / path.readlink())
            is_own = any(f"{inside}/".startswith(f"{root}/") for root in (self.prefix, self.home))
            return "link" if is_own else None
        if not stat.S_ISREG(mode):
            return None
        found = _digest(path)
        if seen in self.built and self.built[seen].sha256 == found:
            return "build" if self.built[seen].same_again else None
        if self.packed.get(seen) == found:
            return "wheel"
        if path.suffix == ".pyc" and _is_of_its_source(path):
            source = source_of(Path(seen)).as_posix()
            return "bytecode" if source in self.packed or source in self.built else None
        return None

    def doubt(self, path: Path, seen: str) -> str:
        """Return what is wrong with a file that has no explanation."""
        product = self.built.get(seen)
        if product and path.is_file() and product.sha256 == _digest(path):
            trouble = "built twice, differs" if product.inputs else "built of what is not known"
            return f"{trouble}: {product.command}"
        return "no wheel, build or source explains this file"


def _of_wheels(prefix: Path, lock: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the files that the wheels of a lock list, with their sha256, by path in the sandbox."""
    pins = {_normal(pin) for pin in lock}
    for listing in sorted(prefix.glob("lib/python*/site-packages/*.dist-info/RECORD")):
        site, folder = listing.parent.parent, listing.parent.name
        project, _, version = folder.removesuffix(".dist-info").rpartition("-")
        if f"{canonicalize_name(project)}=={version}" not in pins:
            continue
        own = listing.relative_to(prefix).as_posix()
        yield f"{ENVIRONMENT}/{own}", _digest(listing)  # a RECORD cannot list itself
        lines = listing.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        for row in csv.reader(lines):
            if len(row) >= 2 and row[1].startswith("sha256="):
                with suppress(ValueError):  # it leads out of the environment, or is no digest
                    place = Path(os.path.normpath(site / row[0])).relative_to(prefix)
                    digest = base64.urlsafe_b64decode(row[1].removeprefix("sha256=") + "==").hex()
                    yield f"{ENVIRONMENT}/{place.as_posix()}", digest


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
