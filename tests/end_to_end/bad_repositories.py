"""Repositories that nobody should have to do with, each written into a folder of its own."""

import io
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Files = Mapping[str, str]

GOOD_MODULE = '''\
"""Numbers and words."""

import re


def total(numbers):
    """Return the sum of the numbers that are at least 0."""
    result = 0
    for number in numbers:
        if number >= 0:
            result += number
    return result


def initials(text):
    """Return the first letters of all words, in capitals."""
    letters = []
    for word in re.split(r"[^a-z]+", text.lower()):
        if word:
            letters.append(word[0].upper())
    return "".join(letters)
'''
GOOD_TESTS = """\
from small import initials, total


def test_total():
    assert total([1, 2, -3]) == 3


def test_total_of_nothing():
    assert total([]) == 0


def test_initials():
    assert initials("some small words") == "SSW"


def test_initials_of_nothing():
    assert initials("") == ""


def test_words():
    assert "some words".split() == ["some", "words"]
"""
GOOD: Files = {"small.py": GOOD_MODULE, "tests/test_small.py": GOOD_TESTS}

EMPTY: Files = {}
NO_TESTS: Files = {"small.py": GOOD_MODULE}
ALL_FAIL: Files = {
    "small.py": GOOD_MODULE,
    "tests/test_small.py": """\
from small import total


def test_total():
    assert total([1]) == 2


def test_missing_fixture(nothing_like_this):
    pass
""",
}
HANGS: Files = {
    "tests/test_hang.py": """\
import threading
import time


def test_busy():
    while True:
        pass


def test_asleep():
    time.sleep(10**6)


def test_will_not_be_interrupted():
    while True:
        try:
            threading.Event().wait()
        except BaseException:
            pass
""",
}
HANGS_AT_IMPORT: Files = {"tests/test_hang.py": "while True:\n    pass\n\ndef test(): pass\n"}
PRINTS: Files = {
    "small.py": GOOD_MODULE,
    "tests/test_prints.py": """\
import os
import sys


def test_prints():
    for _ in range(1 << 10):
        sys.stdout.write("x" * (1 << 20))


def test_writes():
    for _ in range(1 << 10):
        os.write(2, b"x" * (1 << 20))
""",
}
PRINTS_AT_IMPORT: Files = {
    "conftest.py": "import os\n\nwhile True:\n    os.write(1, b'x' * (1 << 20))\n",
    "tests/test_prints.py": "def test():\n    pass\n",
}
FORKS: Files = {
    "tests/test_forks.py": """\
import os


def test_forks():
    while True:
        os.fork()
""",
}
DELETES_ITS_TESTS: Files = {
    **GOOD,
    "tests/test_another.py": """\
import shutil
from pathlib import Path

HERE = Path(__file__).parent


def test_deletes_the_tests():
    shutil.rmtree(HERE)
    assert not HERE.exists()
""",
}
PYTHON_2: Files = {
    "old.py": 'def shout(text):\n    print "%s!" % text\n    raise ValueError, text\n',
    "tests/test_old.py": "import old\n\n\ndef test_shout():\n    assert old.shout\n",
}
SYNTAX_ERROR: Files = {
    **GOOD,
    "broken.py": "def broken(:\n",
    "tests/test_broken.py": "import broken\n\n\ndef test_it():\n    assert broken\n",
    "old.py": PYTHON_2["old.py"],
    "deep.py": f"x = {'(' * 5000}1{')' * 5000}\ny = {'-' * 50_000}1\n",
    "zero.py": "x = 1\0\n",
    "no_such_coding.py": "# coding: no-such\nx = 1\n",
}


def writes_outside(victim: Path) -> Files:
    """Return a repository whose tests want to write to `victim`, a folder of this machine."""
    return {
        "tests/test_writes.py": f"""\
import os
from pathlib import Path

import pytest

PLACES = {[str(victim), "/etc", "/usr", "/env", "/env/bin", "/", "/workspace/..", "/var"]!r}


@pytest.mark.parametrize("place", PLACES)
def test_writes(place):
    (Path(place) / "was-here").write_text("written")


def test_removes():
    os.remove("/env/bin/python")
""",
    }


def large(size_bytes: int) -> Files:
    """Return a repository with a source file of this size."""
    return {**GOOD, "table.py": f"TABLE = {'1' * (size_bytes - 9)}\n"}


def many_modules(count: int) -> Files:
    """Return a repository with so many modules, of which few are tested."""
    modules = {
        f"many/part{n % 40}/module{n}.py": f"def answer_{n}():\n    return {n}\n"
        for n in range(count)
    }
    packages = {f"many/part{n}/__init__.py": "" for n in range(40)}
    return {**GOOD, **modules, **packages, "many/__init__.py": ""}


def write(files: Files, folder: Path) -> Path:
    """Write the files into `folder`, a new directory, and return it."""
    folder.mkdir(parents=True)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


# --- archives ------------------------------------------------------------------------------


def archive(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """Return a source archive that holds a small project and these members."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for path, text in GOOD.items():
            tar.addfile(*_file(f"toy-1.0/{path}", text.encode()))
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return data.getvalue()


def _file(name: str, content: bytes) -> tuple[tarfile.TarInfo, Any]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    return info, io.BytesIO(content)


def climbing() -> bytes:
    """Return an archive with a name that leaves it."""
    info = tarfile.TarInfo("toy-1.0/../../escaped.py")
    info.size = 1
    return archive((info, b"\n"))


def absolute() -> bytes:
    """Return an archive with an absolute name."""
    info = tarfile.TarInfo("/tmp/escaped.py")
    info.size = 1
    return archive((info, b"\n"))


def linking() -> bytes:
    """Return an archive with a symbolic link that leads out of it."""
    link = tarfile.TarInfo("toy-1.0/out")
    link.type, link.linkname = tarfile.SYMTYPE, "../.."
    return archive((link, b""))


def linking_out() -> bytes:
    """Return an archive with a symbolic link that leads out of it, and a file behind it."""
    link = tarfile.TarInfo("toy-1.0/out")
    link.type, link.linkname = tarfile.SYMTYPE, "../../.."
    behind = tarfile.TarInfo("toy-1.0/out/escaped.py")
    behind.size = 1
    return archive((link, b""), (behind, b"\n"))


def hard_linking() -> bytes:
    """Return an archive with a hard link to a file of this machine."""
    link = tarfile.TarInfo("toy-1.0/passwords")
    link.type, link.linkname = tarfile.LNKTYPE, "/etc/passwd"
    return archive((link, b""))


def cut_short() -> bytes:
    """Return the first half of an archive."""
    whole = archive()
    return whole[: len(whole) // 2]


ARCHIVES: Mapping[str, Callable[[], bytes]] = {
    "climbs": climbing,
    "absolute": absolute,
    "links": linking,
    "links-out": linking_out,
    "hard-links": hard_linking,
    "cut-short": cut_short,
}
