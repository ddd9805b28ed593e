"""Archives: what is sound unpacks byte for byte, what is not is refused by name."""

import bz2
import gzip
import io
import lzma
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from featuredel import trees
from featuredel.errors import Rejected
from featuredel.sources.archives import Bounds, Entry, unpack_archive, write_tree
from featuredel.tarfiles import tarfile

BOUNDS = Bounds(file_bytes=1000, tree_bytes=5000, files=20)


def member(
    name: str,
    content: bytes = b"",
    kind: bytes = tarfile.REGTYPE,
    link: str = "",
    mode: int = 0o644,
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, link, mode
    info.size = len(content)
    return info, content


def tar(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w", encoding="utf-8", errors="surrogateescape") as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    return path


def rejection(archive: Path, bounds: Bounds = BOUNDS) -> Rejected:
    dest = archive.parent / "dest"
    with pytest.raises(Rejected) as caught:
        unpack_archive(archive, dest, bounds)
    return caught.value


SOUND = [
    member("p-1/", kind=tarfile.DIRTYPE),
    member("p-1/a.py", b"a = 1\r\n"),
    member("p-1/caf\udce9", b"\x00\xff"),
    member("p-1/run", b"#!/bin/sh\n", mode=0o755),
    member("p-1/d/link", kind=tarfile.SYMTYPE, link="../a.py"),
    member("./p-1/d/dangling", kind=tarfile.SYMTYPE, link="nowhere"),
    member("p-1/.git/config", b"[core]"),
    member("p-1/d/__pycache__/a.cpython-311.pyc", b"\0"),
    member("p-1/empty/", kind=tarfile.DIRTYPE),
]


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_sound_archive(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    archive = tar(tmp_path / "a", *SOUND)
    archive.write_bytes(compress(archive.read_bytes()))
    root = tmp_path / "dest"
    unpack_archive(archive, root, BOUNDS)
    assert list(trees.files(root)) == ["a.py", "caf\udce9", "d/dangling", "d/link", "run"]
    assert (root / "a.py").read_bytes() == b"a = 1\r\n"
    assert (root / "d" / "link").readlink() == Path("../a.py")
    assert trees.git_mode(root / "run") == trees.MODE_EXECUTABLE
    assert not (root / ".git").exists()


def test_without_one_top_folder(tmp_path: Path) -> None:
    unpack_archive(tar(tmp_path / "a", member("x"), member("y/z")), tmp_path / "dest", BOUNDS)
    assert list(trees.files(tmp_path / "dest")) == ["x", "y/z"]


def test_twice_the_same_is_no_harm(tmp_path: Path) -> None:
    archive = tar(tmp_path / "a", member("p/x", b"1"), member("p/x", b"1"))
    unpack_archive(archive, tmp_path / "dest", BOUNDS)
    assert (tmp_path / "dest" / "x").read_bytes() == b"1"


@pytest.mark.parametrize(
    ("members", "detail"),
    [
        ([member("../out")], "a name that leaves the tree, or is none: '../out'"),
        ([member("p/../../out")], "a name that leaves"),
        ([member("/etc/out")], "a name that leaves the tree, or is none: '/etc/out'"),
        ([member("p//x")], "a name that leaves"),
        ([member("p/" + "x" * 300)], "a name that leaves"),
        ([member("../d/", kind=tarfile.DIRTYPE)], "a name that leaves"),
        ([member("p/l", kind=tarfile.SYMTYPE, link="/etc/passwd")], "p/l"),
        ([member("p/l", kind=tarfile.SYMTYPE, link="../../out")], "'l' -> '../../out'"),
        (
            [
                member("p/a/b/up", kind=tarfile.SYMTYPE, link="../.."),
                member("p/l", kind=tarfile.SYMTYPE, link="a/b/up/.."),
            ],
            "a link out of the tree: 'l' -> 'a/b/up/..'",
        ),
        (
            [member("p/l", kind=tarfile.SYMTYPE, link="d"), member("p/l/x", b"1")],
            "a file and a directory at once: 'p/l'",
        ),
        ([member("p/x/y"), member("p/x")], "a file and a directory at once: 'p/x'"),
        ([member("p/x", b"1"), member("p/x", b"2")], "listed twice with different content: 'p/x'"),
        ([member("p/x"), member("p/h", kind=tarfile.LNKTYPE, link="p/x")], "a hard link: 'p/h'"),
        ([member("p/dev", kind=tarfile.CHRTYPE)], "a device or pipe: 'p/dev'"),
        ([member("p/fifo", kind=tarfile.FIFOTYPE)], "a device or pipe: 'p/fifo'"),
    ],
)
def test_unsafe_archives(
    tmp_path: Path, members: list[tuple[tarfile.TarInfo, bytes]], detail: str
) -> None:
    found = rejection(tar(tmp_path / "a", *members))
    assert found.reason == "unsafe archive"
    assert detail in found.detail
    assert not (tmp_path / "out").exists()


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    members = [member("p/l", kind=tarfile.SYMTYPE, link=".."), member("p/l/out", b"1")]
    assert rejection(tar(tmp_path / "a", *members)).reason == "unsafe archive"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("members", "detail"),
    [
        ([member("p/x", b"1" * 1001)], "'p/x' has 1,001 bytes; max_file_bytes is 1,000"),
        ([member(f"p/{i}", b"1" * 900) for i in range(6)], "more bytes than max_tree_bytes"),
        ([member(f"p/{i}") for i in range(21)], "more files than max_files, 20"),
    ],
)
def test_archives_that_are_too_large(
    tmp_path: Path, members: list[tuple[tarfile.TarInfo, bytes]], detail: str
) -> None:
    found = rejection(tar(tmp_path / "a", *members))
    assert found.reason == "too large"
    assert detail in found.detail


def test_a_header_that_unpacks_to_much(tmp_path: Path) -> None:
    """A pax header is read whole before any size is known; the stream has a bound of its own."""
    archive = tmp_path / "a"
    with tarfile.open(archive, "w:gz", format=tarfile.PAX_FORMAT) as file:
        info = tarfile.TarInfo("p/x")
        info.pax_headers = {"comment": "c" * 5_000_000}
        file.addfile(info)
    assert archive.stat().st_size < 100_000
    assert rejection(archive).reason == "too large"


@pytest.mark.parametrize("keep", [0, 5, 60, 400])
def test_damaged_archives(tmp_path: Path, keep: int) -> None:
    content = gzip.compress(tar(tmp_path / "a", member("p/x", os.urandom(900))).read_bytes())
    (tmp_path / "a").write_bytes(content[:keep])
    found = rejection(tmp_path / "a")
    assert found.reason == "damaged archive"
    assert "\n" not in found.detail


def test_no_archive_at_all(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"<html>not found</html>" * 100)
    assert rejection(tmp_path / "a").reason == "damaged archive"


def zip_of(path: Path, *names: str, kind: int = stat.S_IFREG, content: bytes = b"1") -> Path:
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            info = zipfile.ZipInfo(name)
            info.external_attr = (kind | 0o755) << 16
            archive.writestr(info, content)
    return path


def test_a_sound_zip(tmp_path: Path) -> None:
    archive = zip_of(tmp_path / "a.zip", "p/x", "p/d/y")
    with zipfile.ZipFile(archive, "a") as file:
        info = zipfile.ZipInfo("p/l")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(info, "d/y")
        file.mkdir("p/empty")
    unpack_archive(archive, tmp_path / "dest", BOUNDS)
    assert list(trees.files(tmp_path / "dest")) == ["d/y", "l", "x"]
    assert (tmp_path / "dest" / "l").readlink() == Path("d/y")
    assert trees.git_mode(tmp_path / "dest" / "x") == trees.MODE_EXECUTABLE


@pytest.mark.parametrize("name", ["../out", "/out", "p/../../out"])
def test_unsafe_zips(tmp_path: Path, name: str) -> None:
    found = rejection(zip_of(tmp_path / "a.zip", name))
    assert (found.reason, name in found.detail) == ("unsafe archive", True)


def test_more_unsafe_zips(tmp_path: Path) -> None:
    link = zip_of(tmp_path / "link.zip", "p/l", kind=stat.S_IFLNK, content=b"/etc/passwd")
    assert "a link out of the tree" in rejection(link).detail
    pipe = zip_of(tmp_path / "other" / "pipe.zip", "p/f", kind=stat.S_IFIFO)
    assert "a device or pipe" in rejection(pipe).detail


def test_a_zip_that_unpacks_to_much(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("p/x", b"0" * 1_000_000)
    assert rejection(tmp_path / "a.zip").reason == "too large"


def test_a_zip_that_lies(tmp_path: Path) -> None:
    content = zip_of(tmp_path / "a.zip", "p/x", content=b"1" * 500).read_bytes()
    (tmp_path / "a.zip").write_bytes(content.replace(b"1" * 500, b"2" * 500))
    assert rejection(tmp_path / "a.zip").reason == "damaged archive"


@pytest.mark.parametrize("target", [b"", b"a\0b", b"x/" * 3000])
def test_a_link_to_what_is_no_path(tmp_path: Path, target: bytes) -> None:
    entry = Entry("l", trees.MODE_LINK, 0, lambda: target)
    with pytest.raises(Rejected, match="mine: a link to what is no path"):
        write_tree([entry], tmp_path / "dest", BOUNDS, "mine")


def test_links_in_a_circle_are_no_harm(tmp_path: Path) -> None:
    link = tarfile.SYMTYPE
    archive = tar(
        tmp_path / "a", member("p/a", kind=link, link="b"), member("p/b", kind=link, link="a")
    )
    unpack_archive(archive, tmp_path / "dest", BOUNDS)
    assert list(trees.files(tmp_path / "dest")) == ["a", "b"]


def test_a_full_disk_is_not_the_archives_fault(tmp_path: Path) -> None:
    (tmp_path / "dest.all").mkdir()
    with pytest.raises(OSError, match="File exists"):
        unpack_archive(tar(tmp_path / "a", member("p/x")), tmp_path / "dest", BOUNDS)
