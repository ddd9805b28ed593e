"""What a build draws is settled, and nothing else is touched."""

from pathlib import Path

import pytest

from featuredel.languages.python.drawn import settle, without_drawn

NOTE = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"


@pytest.mark.parametrize(
    ("drawn", "settled"),
    [
        (
            b"/tmp/uv/sdists-v11/pypi/frob/1.0/l12lH_IxBzt-8unF/src/frob.c",
            b"/tmp/uv/sdists-v11/pypi/frob/1.0/0000000000000000/src/frob.c",
        ),
        (
            b"/tmp/uv/sdists-v11/index/b2a7eb67d4c26b82/frob/1.0/l12lH_IxBzt-8unF/src\0",
            b"/tmp/uv/sdists-v11/index/b2a7eb67d4c26b82/frob/1.0/0000000000000000/src\0",
        ),
        (b"/tmp/uv/builds-v0/.tmpXy1Z2a/lib", b"/tmp/uv/builds-v0/.tmp000000/lib"),
        (
            b"file:///tmp/.scratch-here.4026531836-12-345-a1_b2c3d/workspace",
            b"file:///tmp/.scratch-0000000000000000000000000000000/workspace",
        ),
        (b"\x7fELF" + NOTE + b"x" * 20 + b"rest", b"\x7fELF" + NOTE + b"\0" * 20 + b"rest"),
    ],
)
def test_what_is_drawn(drawn: bytes, settled: bytes) -> None:
    assert without_drawn(drawn) == settled
    assert len(drawn) == len(settled)


@pytest.mark.parametrize(
    "content",
    [
        b"/workspace/src/frob.c /src/frob.c /home/l12lH_IxBzt-8unF/src",
        b"/tmp/uv/sdists-v11/pypi/frob/1.0/short/src",
        b"no ELF" + NOTE + b"x" * 20,
    ],
)
def test_what_is_not(content: bytes) -> None:
    assert without_drawn(content) == content


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "frob.so"
    path.write_bytes(b"/tmp/uv/builds-v0/.tmpXy1Z2a/x")
    path.chmod(0o555)
    settle(path)
    assert path.read_bytes() == b"/tmp/uv/builds-v0/.tmp000000/x"
    assert path.stat().st_mode & 0o777 == 0o555
