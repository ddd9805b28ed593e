import bz2
import gzip
import io
import lzma
import random
import subprocess
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest
from looking import CODE, NAME, of_files, views

from featuredel.leaks.views.streams import ZSTD

TEXT = CODE.encode()


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return into.getvalue()


def tarred(members: dict[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w", format=form) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return into.getvalue()


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_members_of_a_zip_are_read(method: int) -> None:
    assert views(zipped({"a/b.py": TEXT, "c.py": b"x = 1\n"}, method))["f!a/b.py"] == TEXT


def test_a_zip_written_to_a_pipe_is_read() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise OSError

        def seek(self, *_: int) -> int:
            raise OSError

    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        into = Pipe()
        with zipfile.ZipFile(into, "w", method) as archive:
            archive.writestr("a.py", TEXT)
            archive.writestr("b.py", b"x = 1\n")
        assert views(into.getvalue())["f!a.py"] == TEXT


def test_a_member_that_the_directory_leaves_out_is_read() -> None:
    hidden, shown = zipped({"hidden.py": TEXT}), zipped({"shown.py": b"x = 1\n"})
    assert views(hidden[: hidden.index(b"PK\1\2")] + shown)["f!hidden.py"] == TEXT


def test_a_zip_behind_a_script_is_read() -> None:
    assert TEXT in views(b"#!/usr/bin/env python3\n" + zipped({"a.py": TEXT}) + b"\xff").values()


def test_an_encrypted_member_is_a_finding() -> None:
    content = bytearray(zipped({"a.py": TEXT}))
    content[6] |= 1
    assert views(bytes(content))["f!a.py (opaque)"] == b"an encrypted member of a zip archive"


def test_a_method_that_nobody_knows_is_a_finding() -> None:
    content = bytearray(zipped({"a.py": TEXT}))
    content[8] = 9  # deflate64
    assert views(bytes(content))["f!a.py (opaque)"].endswith(b"packed by method 9")


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_members_of_a_tar_are_read(form: int) -> None:
    name = "long/" * 17 + "a.py"
    assert views(tarred({"b.py": b"x\n", name: TEXT}, form))[f"f!{name}"] == TEXT


def test_what_follows_a_tar_is_read() -> None:
    assert views(tarred({"b.py": b"x\n"}) + TEXT)["f!after the end"] == TEXT


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, bz2.compress, lzma.compress, zlib.compress, lambda c: zlib.compress(c, 1)],
)
def test_a_compressed_tar_is_read(pack: object) -> None:
    assert callable(pack)
    assert views(pack(tarred({"a.py": TEXT})), "x.tar.z")["x.tar.z!x.tar!a.py"] == TEXT


def test_lzma_alone_and_zstd_are_read() -> None:
    assert TEXT in views(lzma.compress(TEXT, lzma.FORMAT_ALONE)).values()
    packed = subprocess.run(["zstd", "-c"], input=TEXT, capture_output=True, check=True).stdout
    assert TEXT in views(packed).values()
    assert ZSTD().decompress(packed) == TEXT


def test_streams_that_follow_each_other_are_one_and_the_rest_is_read() -> None:
    packed = gzip.compress(b"x = 1\n") + gzip.compress(TEXT)
    assert b"x = 1\n" + TEXT in views(packed).values()
    assert TEXT in views(zlib.compress(b"x = 1\n") + TEXT).values()


def test_a_damaged_stream_shows_what_it_has_and_is_a_finding() -> None:
    noise = random.Random(0).randbytes(4000)
    packed = gzip.compress(TEXT + noise)[:-2000]
    shown = views(packed)
    assert any(NAME in content for content in shown.values())
    assert shown["f (opaque)"].endswith(b"gzip: ends in the middle")


def test_an_inventory_of_sphinx_is_read() -> None:
    head = b"# Sphinx inventory version 2\n# Project: a\n# Version: 1\n# The rest is zlib.\n"
    body = b"pkg.zorptastic_merge py:function 1 api.html#$ -\n"
    assert body in views(head + zlib.compress(body)).values()


def test_archives_in_an_executable_are_carved() -> None:
    front = b"\x7fELF" + bytes(range(256)) * 8
    for packed in (zipped({"a.py": TEXT}), gzip.compress(TEXT), lzma.compress(TEXT)):
        assert TEXT in views(front + packed + b"\0" * 64).values()


def test_a_debian_package_is_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN" / "control").write_text(
        "Package: a\nVersion: 1\nArchitecture: all\nMaintainer: a <a@example.com>\nDescription: a\n"
    )
    (root / "core.py").write_bytes(TEXT)
    for packing in ("gzip", "xz", "zstd"):
        deb = tmp_path / "deb" / f"{packing}.deb"
        deb.parent.mkdir(exist_ok=True)
        subprocess.run(
            ["dpkg-deb", f"-Z{packing}", "--build", str(root), str(deb)],
            check=True, capture_output=True,
        )  # fmt: skip
    found = [where for where, content in of_files(deb.parent).items() if content == TEXT]
    assert [where.partition(".deb!data.tar")[0] for where in found] == ["gzip", "xz", "zstd"]


def test_long_names_of_ar_are_told(tmp_path: Path) -> None:
    member = tmp_path / "a_name_longer_than_sixteen.o"
    member.write_bytes(TEXT)
    subprocess.run(["ar", "rc", str(tmp_path / "x.a"), str(member)], check=True)
    assert of_files(tmp_path / "x.a")[f"{tmp_path}/x.a!{member.name}"] == TEXT
