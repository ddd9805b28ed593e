"""What a submission added or changed loses its bodies, and nothing else does."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from featuredel.languages.python.ablate import ablated

OLD = b"""\
import os


def kept(a):
    return a


class Thing:
    @property
    def size(self):
        return 1

    def grow(self):
        return 2
"""
RAISES = b"raise NotImplementedError"


def emptied(tmp_path: Path, edits: Mapping[str, bytes | None]) -> Mapping[str, bytes]:
    (tmp_path / "mod.py").write_bytes(OLD)
    return ablated(tmp_path, edits)


@pytest.mark.parametrize(
    ("new", "after"),
    [
        (OLD.replace(b"return 2", b"return 3"), OLD.replace(b"return 2", RAISES)),
        (OLD + b"\n\ndef more(): return 1\n", OLD + b"\n\ndef more(): " + RAISES + b"\n"),
        (
            OLD + b'\n\ndef more():\n    """Doc."""\n    x = 1\n    return x\n',
            OLD + b'\n\ndef more():\n    """Doc."""\n    ' + RAISES + b"\n",
        ),
        (
            OLD + b"\n\ndef more():\n    @wraps\n    def inner():\n        return 1\n",
            OLD + b"\n\ndef more():\n    " + RAISES + b"\n",
        ),
        (
            b"if os:\n    async def more():\n        return 1\n" + OLD,
            b"if os:\n    async def more():\n        " + RAISES + b"\n" + OLD,
        ),
    ],
)  # fmt: skip
def test_before_and_after(new: bytes, after: bytes, tmp_path: Path) -> None:
    assert emptied(tmp_path, {"mod.py": new}) == {"mod.py": after}


@pytest.mark.parametrize(
    "edits",
    [
        {"mod.py": OLD + b"\n\nX = kept\n"},
        {"mod.py": OLD.replace(b"return 2\n", b"return 2\n\n    # more\n")},
        {"mod.py": None},
        {"data.txt": b"def f(): return 1\n"},
        {"mod.py": b"def broken(:\n"},
        {"new.py": b'def f():\n    """Only a docstring."""\n'},
    ],
)
def test_nothing_to_empty(edits: Mapping[str, bytes | None], tmp_path: Path) -> None:
    assert emptied(tmp_path, edits) == {}


def test_a_new_file_is_all_new(tmp_path: Path) -> None:
    assert emptied(tmp_path, {"new.py": OLD})["new.py"].count(RAISES) == 3
