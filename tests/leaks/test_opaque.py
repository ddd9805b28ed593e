import io
import random
import struct
import zlib

import pytest
from looking import CODE, findings

from featuredel.leaks.known import KNOWN_GOOD, is_known
from featuredel.leaks.opaque import entropy, judge

NOISE = random.Random(0).randbytes(4096)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 32, 32, 8, 6, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(NOISE + b"\0" * 32))
    + chunk(b"IEND", b"")
)
EXAMPLES = {
    "png": PNG,
    "jpeg": b"\xff\xd8\xff\xe0\0\x10" + NOISE[:14] + b"\xff\xda\0\x08" + NOISE + b"\xff\xd9",
    "gif": b"GIF89a" + bytes(7) + b"\x2c" + bytes(9) + b"\x08"
    + b"".join(b"\xff" + NOISE[i * 255 : i * 255 + 255] for i in range(16)) + b"\0\x3b",
    "webp, wave": b"RIFF" + struct.pack("<I", 4100) + b"WEBP" + NOISE,
    "woff, woff2": b"wOF2" + bytes(4) + struct.pack(">I", 4108) + NOISE,
    "truetype, opentype": b"\0\1\0\0\0\1" + bytes(6)
    + struct.pack(">4sIII", b"glyf", 0, 28, 4096) + NOISE,
    "ico, cur": b"\0\0\1\0\1\0" + bytes(8) + struct.pack("<II", 4096, 22) + NOISE,
    "icns": b"icns" + struct.pack(">I", 4104) + NOISE,
    "npy": b"\x93NUMPY\1\0" + struct.pack("<H", 70)
    + b"{'descr': '<f8', 'fortran_order': False, 'shape': (512,), }".ljust(69) + b"\n" + NOISE,
    "index of git": b"\xfftOc\0\0\0\2" + struct.pack(">256I", *[130] * 256)
    + NOISE[: 130 * 28 + 40],
    "certificate": b"\x30\x82\x10\x00" + NOISE,
    "pdf": b"%PDF-1.7\n" + NOISE + b"\n%%EOF\n",
    "ogg": (b"OggS" + bytes(22) + b"\x01\xff" + NOISE[:255]) * 16,
    "mp4, avif": struct.pack(">I4s", 16, b"ftyp") + bytes(8)
    + struct.pack(">I4s", 4104, b"mdat") + NOISE,
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN_GOOD)
def test_known_good_content_is_known_to_its_end(name: str) -> None:
    content = EXAMPLES[name]
    assert is_known(content) == name
    assert judge(content) is None
    assert findings(content) == []
    assert judge(content + NOISE) is not None
    assert is_known(content[:-3]) is None


def test_what_is_random_is_a_finding() -> None:
    (found,) = findings(NOISE)
    assert (found.kind, found.view) == ("opaque", "raw")
    assert found.detail.startswith("unknown content of 7.9")


def test_the_beginning_of_a_picture_does_not_make_one() -> None:
    assert [f.kind for f in findings(PNG[:8] + NOISE)] == ["opaque"]


def test_text_and_machine_code_are_not_judged() -> None:
    assert judge(CODE.encode() * 10) is None
    assert judge("über naïve Wörter ".encode() * 100) is None
    assert judge(bytes(range(64)) * 100) is None


def test_a_large_file_is_judged_by_samples() -> None:
    noise = io.BytesIO()
    for seed in range(64):
        noise.write(random.Random(seed).randbytes(1 << 16))
    assert judge(noise.getvalue()) is not None


def test_entropy_is_of_eight_bits() -> None:
    assert entropy(bytes(range(256))) == 8
    assert entropy(b"aaaa") == 0
