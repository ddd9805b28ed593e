"""The scan as a whole: what it reads, and that what is hostile ends in a finding."""

import hashlib
import io
import os
import socket
import subprocess
import zipfile
from pathlib import Path

import pytest

from featuredel.leaks.needle import Needle, Needles
from featuredel.leaks.scan import MOST_OF_A_FILE, WINDOW_BYTES, Scan, scan

NEEDLES = Needles((Needle("identifier", "zorptastic_merge"),))
CODE = b"def zorptastic_merge(alpha):\n    return alpha\n"


def zipped(**members: bytes) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return into.getvalue()


def seen(scanned: Scan, kind: str = "content") -> list[tuple[str, str]]:
    return [(f.where, f.view) for f in scanned.findings if f.kind == kind]


def test_a_clean_tree_has_no_finding(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("x = 1\n")
    scanned = scan([tmp_path], NEEDLES)
    assert scanned.findings == ()
    assert (scanned.files, scanned.views) == (2, 3)


def test_a_needle_is_told_with_place_and_view(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(b__zip=zipped(c__py=CODE)))
    assert seen(scan([tmp_path], NEEDLES)) == [(f"{tmp_path}/a.zip!b.zip!c.py", "zip")]


def test_names_and_targets_are_read(tmp_path: Path) -> None:
    (tmp_path / "zorptastic_merge.txt").write_text("")
    (tmp_path / "link").symlink_to("nowhere/zorptastic_merge")
    assert seen(scan([tmp_path], NEEDLES)) == [
        (f"{tmp_path}/link!target", "link"),
        (f"{tmp_path}/zorptastic_merge.txt", "names"),
    ]


def test_extended_attributes_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    try:
        os.setxattr(tmp_path / "a.txt", "user.note", CODE)
    except OSError:
        pytest.skip("this file system keeps no attributes")
    assert seen(scan([tmp_path], NEEDLES)) == [(f"{tmp_path}/a.txt!user.note", "xattr")]


def test_names_above_a_root_do_not_count(tmp_path: Path) -> None:
    root = tmp_path / "zorptastic_merge" / "tree"
    root.mkdir(parents=True)
    assert scan([root], NEEDLES).findings == ()


def test_what_is_no_file_is_a_finding(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        scanned = scan([tmp_path, Path("/dev/null")], NEEDLES)
    assert [(f.where.rpartition("/")[2], f.kind, f.detail) for f in scanned.findings] == [
        ("fifo", "bounds", "a FIFO cannot be read"),
        ("loop", "bounds", "a symbolic link that leads to itself"),
        ("socket", "bounds", "a socket cannot be read"),
        ("null", "bounds", "a character device cannot be read"),
    ]


def test_objects_of_git_are_read_packed_and_loose(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        options = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0"]
        subprocess.run(["git", *options, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / "core.py").write_bytes(CODE)
    git("add", ".")
    git("commit", "-m", "one")
    git("rm", "core.py")
    git("commit", "-m", "two")
    loose = seen(scan([tmp_path], NEEDLES))
    assert [view for _, view in loose] == ["zlib"]
    git("gc")
    packed = seen(scan([tmp_path], NEEDLES))
    assert [view for _, view in packed] == ["git object"]
    assert packed[0][0].rpartition("!")[2].startswith("blob ")


def test_what_a_base_holds_is_not_read_but_for_its_name(tmp_path: Path) -> None:
    (tmp_path / "zorptastic_merge.py").write_bytes(CODE)
    (tmp_path / "other.py").write_bytes(CODE + b"#")

    class Known:
        def holds(self, digest: str) -> bool:
            return digest == hashlib.sha256(CODE).hexdigest()

    assert seen(scan([tmp_path], NEEDLES, base=Known())) == [
        (f"{tmp_path}/other.py", "raw"),
        (f"{tmp_path}/zorptastic_merge.py", "names"),
    ]


def test_large_files_are_searched_in_windows(tmp_path: Path) -> None:
    for number, at in enumerate((0, WINDOW_BYTES - 8, 2 * WINDOW_BYTES)):
        content = bytearray(b" " * (2 * WINDOW_BYTES + 100))
        content[at : at + 16] = b"zorptastic_merge"
        (tmp_path / str(number)).write_bytes(content)
    assert [view for _, view in seen(scan([tmp_path], NEEDLES))] == ["raw"] * 3


def test_the_findings_of_a_file_are_bounded(tmp_path: Path) -> None:
    needles = Needles(tuple(Needle("identifier", f"needle_{n:04}") for n in range(200)))
    (tmp_path / "a.txt").write_text("\n".join(needle.text for needle in needles.secret))
    (tmp_path / "b.txt").write_text("needle_0000")
    places = [where for where, _ in seen(scan([tmp_path], needles))]
    assert places.count(f"{tmp_path}/b.txt") == 1
    assert MOST_OF_A_FILE <= places.count(f"{tmp_path}/a.txt") <= 200
