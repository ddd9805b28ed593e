"""The base: what is the same for all tasks of an environment, read once and kept by its hash.

It is what a command of the task sees besides its tree, as its sandbox tells: of this machine the
listed part, the interpreter, the environment; or the layers of an image. Each of its parts has an
index of its own, so that an interpreter is read once for all projects. What the base shows is no
secret, unless it shows the answer itself; `copies` tells the two apart.

Of machine code, C headers, the library of Perl and bytecode beside its source only the words are
looked at, of the machine's own programs and shared libraries nothing but their hash: no package
that is deleted from becomes any of these.
"""

import functools
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from featuredel.leaks.index import Index, numbers_of, numbers_of_words, write
from featuredel.leaks.scan import views_of
from featuredel.leaks.views.view import View, is_text
from featuredel.sandbox import Ground, SeenFile
from featuredel.scratch import alone, scratch_directory

FORMAT = 3
"""Of the index; raised when the same files come out otherwise."""

_MACHINE_CODE = (b"\x7fELF", b"!<arch>\n", b"!<thin>\n", b"\xcf\xfa\xed\xfe", b"MZ")
_PROGRAMS = "/usr/"
_OF_OTHERS = ("/include/", "/perl/", "/perl5/", "/perl-base/")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the base: a mount, the listed part of the machine, a layer of an image."""

    digest: str  # sha256 over the paths, modes and contents
    files: int
    contents: frozenset[bytes]  # sha256 of each file
    index: Index


@dataclass(frozen=True, slots=True)
class Base:
    """All parts together."""

    parts: tuple[Part, ...]

    @property
    def digest(self) -> str:
        """What stands for the whole: a sha256, hexadecimal."""
        return hashlib.sha256("".join(part.digest for part in self.parts).encode()).hexdigest()

    def holds(self, digest: str) -> bool:
        """Return whether content with this sha256 (hexadecimal) is part of it."""
        return any(bytes.fromhex(digest) in part.contents for part in self.parts)

    def shows(self, number: int) -> bool:
        """Return whether some file of it shows the needle with this number."""
        return any(number in part.index for part in self.parts)


def base_of(grounds: Iterable[Ground], work: Path) -> Base:
    """Return the base that is made of these parts of what a command sees.

    What was read before is found in `work`, unless a file of it has changed since. A process
    looks for changes once.
    """
    folder = work / "bases"
    folder.mkdir(parents=True, exist_ok=True)
    return Base(tuple(_part(ground, folder) for ground in grounds))


@functools.lru_cache(maxsize=64)  # each holds some files open
def _part(ground: Ground, folder: Path) -> Part:
    place = folder / hashlib.sha256(f"{FORMAT}\n{ground.mark}".encode()).hexdigest()[:32]
    with alone(place.with_suffix(".lock")):
        if not (place / "part.json").exists():
            shutil.rmtree(place, ignore_errors=True)  # left by a run that was killed
            with scratch_directory(folder) as scratch:
                made = scratch / "part"
                made.mkdir()
                with ground.files() as files:
                    _read_all(files, made)
                made.rename(place)
    return _open(place)


def _read_all(files: Sequence[SeenFile], place: Path) -> None:
    """Write the part of these files: their hashes, and what is indexed of them."""
    whole, contents = hashlib.sha256(), []

    def numbers() -> Iterator[Iterable[int]]:
        for file in files:
            status = file.path.lstat()
            name = os.fsencode(file.seen)
            if stat.S_ISLNK(status.st_mode):
                whole.update(b"link %s\0%s\0" % (name, os.fsencode(file.path.readlink())))
            elif stat.S_ISREG(status.st_mode):
                with file.path.open("rb") as opened:
                    found = hashlib.file_digest(opened, "sha256").digest()
                whole.update(b"%o %s\0%s" % (status.st_mode, name, found))
                contents.append(found)
                yield from _numbers(file)

    write(place, numbers())
    (place / "contents").write_bytes(b"".join(sorted(contents)))
    about = {"digest": whole.hexdigest(), "files": len(files)}
    (place / "part.json").write_text(json.dumps(about))


def _numbers(file: SeenFile) -> Iterator[Iterable[int]]:
    path = file.path
    with path.open("rb") as opened:
        is_code = opened.read(8).startswith(_MACHINE_CODE)
    if is_code and file.seen.startswith(_PROGRAMS):
        return
    if is_code or _is_of_others(file) or (path.suffix == ".pyc" and source_of(path).exists()):
        yield numbers_of_words(path.read_bytes())
        return
    for view in views_of([path]):
        if isinstance(view, View) and view.name != "names" and is_text(view.content):
            yield from numbers_of(view.where, view.content[:].decode(errors="replace"))


def _is_of_others(file: SeenFile) -> bool:
    return any(folder in file.seen for folder in _OF_OTHERS)


def source_of(bytecode: Path) -> Path:
    """Return where the source of a module is that was compiled to this file."""
    name = bytecode.name.split(".", 1)[0] + ".py"
    folder = bytecode.parent
    return (folder.parent if folder.name == "__pycache__" else folder) / name


def _open(place: Path) -> Part:
    about = json.loads((place / "part.json").read_text())
    listed = (place / "contents").read_bytes()
    contents = frozenset(listed[start : start + 32] for start in range(0, len(listed), 32))
    return Part(about["digest"], about["files"], contents, Index(place))
