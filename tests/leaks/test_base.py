"""What the base is, what of it is read, and that it is read once."""

import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from featuredel.leaks import base
from featuredel.leaks.base import Base, base_of
from featuredel.leaks.index import number_of
from featuredel.leaks.needles import Needle, candidates_of
from featuredel.sandbox import Mount, SeenFile
from featuredel.sandbox.seen import of_mounts

CODE = "def zorptastic_merge(alpha_quux):\n    return alpha_quux\n"


def made(tmp_path: Path, *mounts: Mount, hidden: tuple[str, ...] = ()) -> Base:
    base._part.cache_clear()
    return base_of(of_mounts(mounts, hidden), tmp_path / "work")


def shows(found: Base, name: str) -> bool:
    return found.shows(number_of(Needle("identifier", name)))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Return a library with a module."""
    folder = tmp_path / "library"
    folder.mkdir()
    (tmp_path / "work").mkdir()
    (folder / "merge.py").write_text(CODE)
    return folder


def test_what_is_mounted_is_shown(tmp_path: Path, library: Path) -> None:
    found = made(tmp_path, Mount(library, "/opt/x"))
    assert shows(found, "zorptastic_merge")
    assert not shows(found, "zorptastic")
    assert found.holds(hashlib.sha256(CODE.encode()).hexdigest())
    assert not found.holds(hashlib.sha256(b"").hexdigest())


def test_what_is_in_an_archive_is_shown(tmp_path: Path, library: Path) -> None:
    (library / "merge.py").unlink()
    with zipfile.ZipFile(library / "a.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("merge.py", CODE)
    assert shows(made(tmp_path, Mount(library, "/opt/x")), "zorptastic_merge")


def test_what_is_hidden_or_can_be_written_is_not(tmp_path: Path, library: Path) -> None:
    assert not shows(made(tmp_path, Mount(library, "/opt/x", writable=True)), "zorptastic_merge")
    (library / "packages").mkdir()
    (library / "merge.py").rename(library / "packages" / "merge.py")
    mount = Mount(library, "/opt/x")
    assert not shows(made(tmp_path, mount, hidden=("/opt/x/packages",)), "zorptastic_merge")
    again = Mount(library / "packages", "/opt/x/packages")
    assert shows(made(tmp_path, mount, again, hidden=("/opt/x/packages",)), "zorptastic_merge")


def test_machine_code_is_looked_at_for_words(tmp_path: Path, library: Path) -> None:
    content = b"\x7fELF" + CODE.encode()
    (library / "merge.py").write_bytes(content)
    found = made(tmp_path, Mount(library, "/opt/x"))
    assert found.holds(hashlib.sha256(content).hexdigest())
    assert shows(found, "zorptastic_merge")
    grams = [n for n in candidates_of({"a.py": CODE * 2}) if n.kind == "kgram"]
    assert grams
    assert not any(found.shows(number_of(gram)) for gram in grams)


def test_programs_of_the_machine_are_hashed(tmp_path: Path, library: Path) -> None:
    (library / "merge.py").write_bytes(b"\x7fELF" + CODE.encode())
    assert not shows(made(tmp_path, Mount(library, "/usr/lib/x")), "zorptastic_merge")


def test_it_is_read_once_until_a_file_changes(
    tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mount, original = Mount(library, "/opt/x"), base._numbers
    read: list[Path] = []

    def numbers(file: SeenFile) -> Iterator[Iterable[int]]:
        read.append(file.path)
        return original(file)

    monkeypatch.setattr(base, "_numbers", numbers)
    first = made(tmp_path, mount)
    assert made(tmp_path, mount).digest == first.digest
    assert len(read) == 1
    (library / "merge.py").write_text(CODE.replace("zorptastic", "other"))
    second = made(tmp_path, mount)
    assert second.digest != first.digest
    assert shows(second, "other_merge")
    assert not shows(second, "zorptastic_merge")


def test_the_digest_is_that_of_the_sandbox_not_of_the_place(tmp_path: Path, library: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "merge.py").write_text(CODE)
    one, two = (made(tmp_path, Mount(folder, "/opt/x")) for folder in (library, other))
    assert one.digest == two.digest
    assert made(tmp_path, Mount(library, "/opt/y")).digest != one.digest
