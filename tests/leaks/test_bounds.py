"""What is hostile ends in a finding: never in a hang, nor in memory."""

import bz2
import gzip
import io
import lzma
import os
import pickle
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
import zlib
from pathlib import Path

import pytest
from looking import findings, views

from featuredel.leaks.bounds import Bounds, Budget, Exceeded
from featuredel.leaks.finding import Finding
from featuredel.leaks.needle import Needles
from featuredel.leaks.scan import scan

NONE = Needles(())
MEGABYTE = 1 << 20
SMALL = Bounds(expanded_bytes=4 * MEGABYTE, ratio_from_bytes=MEGABYTE, views=1000, depth=5)


def zeros(size: int) -> bytes:
    return bytes(size)


def kinds(found: list[Finding]) -> set[tuple[str, str]]:
    return {(finding.kind, finding.detail) for finding in found}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zlib.compress])
def test_a_bomb_ends(pack: object) -> None:
    assert callable(pack)
    found = findings(pack(zeros(32 * MEGABYTE)), SMALL)
    assert [finding.kind for finding in found] == ["bounds"]
    assert found[0].detail.startswith("unpacks to more than ")


def test_a_bomb_of_zstd_ends() -> None:
    packed = subprocess.run(
        ["zstd", "-c"], input=zeros(32 * MEGABYTE), capture_output=True, check=True
    )
    assert [finding.kind for finding in findings(packed.stdout, SMALL)] == ["bounds"]


def test_bombs_in_a_bomb_end() -> None:
    content = zeros(100 * MEGABYTE)
    for _ in range(3):
        content = gzip.compress(content)
    assert [finding.kind for finding in findings(content, SMALL)] == ["bounds"]


def test_a_zip_whose_members_overlap_ends() -> None:
    kernel = zlib.compressobj(9, wbits=-15)
    packed = kernel.compress(zeros(MEGABYTE)) + kernel.flush()
    header = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 8, 0, 0, 0, len(packed), 0, 1, 0) + b"a"
    assert [f.kind for f in findings((header + packed) * 64, SMALL)] == ["bounds"]


def test_a_zip_of_a_million_entries_ends() -> None:
    header = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 0, 0, 0, 0, 1, 1, 1, 0) + b"ax"
    found = findings(header * 1_000_000, Bounds(views=10_000))
    assert kinds(found) == {("bounds", "has more than 10000 parts")}


def test_archives_in_archives_end() -> None:
    content = b"x = 1\n"
    for _ in range(200):
        content = gzip.compress(content, 1)
    found = findings(content, SMALL)
    assert kinds(found) == {("bounds", "archives in archives, more than 5 deep")}


def test_a_zip_that_holds_itself_ends() -> None:
    content = b"x"
    for _ in range(40):
        into = io.BytesIO()
        with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("a.zip", content)
            archive.writestr("b.zip", content)
        content = into.getvalue()
        if len(content) > 8 * MEGABYTE:
            break
    assert {finding.kind for finding in findings(content, SMALL)} == {"bounds"}


def test_a_sparse_file_ends(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate((4 << 30) + 1)
    scanned = scan([tmp_path], NONE)
    assert [(f.kind, f.where) for f in scanned.findings] == [("bounds", f"{tmp_path}/sparse")]


def test_a_sparse_member_of_a_tar_is_read_as_stored(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    command = ["tar", "--sparse", "-cf", "sparse.tar", "sparse"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert findings((tmp_path / "sparse.tar").read_bytes()) == []


def test_large_content_does_not_go_into_memory(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "large.gz", "wb", 1) as file:
        for _ in range(96):
            file.write(os.urandom(4096) * 256)
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from featuredel.leaks.scan import scan; from featuredel.leaks.needle import Needles\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (160 << 20,) * 2)\n"
        "print(scan([Path(sys.argv[1])], Needles(())).bytes)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) > 96 * MEGABYTE


def test_a_nested_structure_ends() -> None:
    for content in (
        b"[" * 100_000 + b'"\\n"',
        b'{"a":' * 100_000 + b'"\\n"',
        b"\x80\x04" + b"(" * 100_000 + b".",
        b"\xa7\r\r\n" + bytes(12) + b"\xa9\x01" * 100_000,
        b"<a>" * 100_000,
        pickle.dumps(list(range(1000)))[:-10],
    ):
        assert "f" in views(content, bounds=SMALL)


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    scanned = scan([gone], NONE)
    assert [(f.kind, f.detail) for f in scanned.findings] == [
        ("bounds", "cannot be read: No such file or directory")
    ]


def test_directories_without_end_end(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1400):  # longer than any path may be
        os.mkdir("dd", dir_fd=here)
        deeper = os.open("dd", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    scanned = scan([tmp_path], NONE)
    assert [f.detail for f in scanned.findings] == ["cannot be read: File name too long"]
    subprocess.run(["rm", "-rf", str(tmp_path / "dd")], check=True)


def test_entries_and_time_are_bounded(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / str(number)).write_text("x")
    told = scan([tmp_path], NONE, bounds=Bounds(entries=10)).findings
    assert [f.detail for f in told] == ["more than 10 entries in all"]
    assert scan([tmp_path], NONE, bounds=Bounds(total_s=0)).findings != ()


def test_time_for_a_file_is_bounded() -> None:
    with pytest.raises(Exceeded, match="too long"):
        Budget(Bounds(file_s=0), 0).tick()
    over = Budget(Bounds(), 0, ends_at=time.monotonic() - 1)
    with pytest.raises(Exceeded, match="too long"):
        over.tick()
    assert [f.kind for f in findings(gzip.compress(b"x"), Bounds(file_s=0))] == ["bounds"]


def test_a_tar_of_links_and_devices_is_only_named() -> None:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as archive:
        for name, kind in (("a", tarfile.SYMTYPE), ("b", tarfile.CHRTYPE), ("c", tarfile.FIFOTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    shown = views(into.getvalue())
    assert shown["f!a"] == b"a\n/etc/passwd"
    assert shown["f!c"].startswith(b"c\n")
