"""Formats whose content looks random and is known to be harmless, by magic and structure.

A magic alone says little: whatever follows it could be anything. So each check walks the structure
to the end, and what lies behind the end makes the file unknown again.
"""

import ast
import math
import re
import struct
from collections.abc import Callable

from featuredel.leaks.views.view import Content

Check = Callable[[Content], bool]

_GIT = (b"RIDX", b"MIDX", b"CGPH", b"BITM", b"MTME", b"DIRC")
_ITEM = re.compile(r"[<>|=]?[?biufcSUVaMm](\d+)")


def is_known(content: Content) -> str | None:
    """Return the name of the known format that is all of the content, or None."""
    for name, check in KNOWN_GOOD.items():
        try:
            if check(content):
                return name
        except (IndexError, struct.error, ValueError, SyntaxError, TypeError):
            continue
    return None


def _png(content: Content) -> bool:
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        return False
    at, kind = 8, b""
    while kind != b"IEND":
        size, kind = struct.unpack(">I4s", content[at : at + 8])
        at += 12 + size
    return at == len(content)


def _jpeg(content: Content) -> bool:
    if content[:3] != b"\xff\xd8\xff":
        return False
    at = 2
    while content[at + 1] != 0xDA:  # the scan, which lasts to the end
        if content[at] != 0xFF:
            return False
        at += 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    return content.find(b"\xff\xd9", at) >= 0 and content[-2:] == b"\xff\xd9"


def _gif(content: Content) -> bool:
    if content[:6] not in (b"GIF87a", b"GIF89a"):
        return False
    at = 13 + (3 << (content[10] & 7) + 1 if content[10] & 0x80 else 0)
    while content[at] != 0x3B:
        if content[at] == 0x21:
            at += 2
        elif content[at] == 0x2C:
            flags = content[at + 9]
            at += 11 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
        else:
            return False
        while size := content[at]:
            at += 1 + size
        at += 1
    return at == len(content) - 1


def _riff(content: Content) -> bool:
    """Return whether it is a WebP picture or a WAVE sound."""
    if content[:4] != b"RIFF" or content[8:12] not in (b"WEBP", b"WAVE"):
        return False
    size = int.from_bytes(content[4:8], "little")
    return len(content) - 8 in (size, size + size % 2)


def _font(content: Content) -> bool:
    """Return whether it is a font for the web, which says its length."""
    return content[:4] in (b"wOFF", b"wOF2") and len(content) - 3 <= int.from_bytes(
        content[8:12], "big"
    ) <= len(content)


def _sfnt(content: Content) -> bool:
    if content[:4] not in (b"\0\1\0\0", b"OTTO", b"true"):
        return False
    count = int.from_bytes(content[4:6], "big")
    tables = [
        struct.unpack(">4sIII", content[at : at + 16]) for at in range(12, 12 + 16 * count, 16)
    ]
    end = max((offset + size for _, _, offset, size in tables), default=0)
    return 0 <= len(content) - end < 4


def _icon(content: Content) -> bool:
    if content[:4] not in (b"\0\0\1\0", b"\0\0\2\0"):
        return False
    end = 0
    for number in range(int.from_bytes(content[4:6], "little")):
        size, offset = struct.unpack("<II", content[14 + 16 * number : 22 + 16 * number])
        end = max(end, offset + size)
    return end == len(content)


def _icns(content: Content) -> bool:
    return content[:4] == b"icns" and int.from_bytes(content[4:8], "big") == len(content)


def _numpy(content: Content) -> bool:
    if content[:6] != b"\x93NUMPY":
        return False
    start = 10 if content[6] == 1 else 12
    size = int.from_bytes(content[8:start], "little")
    header = ast.literal_eval(content[start : start + size].decode("latin-1"))
    items = math.prod(header["shape"])
    found = _ITEM.fullmatch(header["descr"])
    return found is not None and start + size + items * int(found[1]) == len(content)


def _git(content: Content) -> bool:
    """Return whether it is an index of git: hashes of objects, not objects."""
    if content[:8] == b"\xfftOc\0\0\0\2":
        count = int.from_bytes(content[8 + 255 * 4 : 8 + 256 * 4], "big")
        sizes = {8 + 1024 + count * (width + 8) + 2 * width for width in (20, 32)}
        return any(0 <= len(content) - size <= 8 * count for size in sizes)
    return content[:4] in _GIT and content[4:6] in (b"\0\0", b"\1\1", b"\0\1", b"\1\2", b"\1\0")


def _der(content: Content) -> bool:
    """Return whether it is one certificate or key: a sequence as long as the content."""
    return content[:2] == b"\x30\x82" and int.from_bytes(content[2:4], "big") + 4 == len(content)


def _ogg(content: Content) -> bool:
    at = 0
    while at < len(content):
        if content[at : at + 4] != b"OggS":
            return False
        segments = content[at + 26]
        at += 27 + segments + sum(content[at + 27 : at + 27 + segments])
    return at == len(content) > 0


def _boxes(content: Content) -> bool:
    """Return whether it is a film or picture of boxes: mp4, mov, avif, heic."""
    at = 0
    if content[4:8] != b"ftyp":
        return False
    while at < len(content):
        size = int.from_bytes(content[at : at + 4], "big")
        if size == 1:
            size = int.from_bytes(content[at + 8 : at + 16], "big")
        if size < 8:
            return False
        at += size
    return at == len(content)


def _pdf(content: Content) -> bool:
    """Return whether it is a document that is not encrypted; its streams are views already."""
    whole = content[:5] == b"%PDF-" and content[-1024:].rstrip().endswith(b"%%EOF")
    return whole and content.find(b"/Encrypt") < 0


KNOWN_GOOD: dict[str, Check] = {
    "png": _png,
    "jpeg": _jpeg,
    "gif": _gif,
    "webp, wave": _riff,
    "woff, woff2": _font,
    "truetype, opentype": _sfnt,
    "ico, cur": _icon,
    "icns": _icns,
    "npy": _numpy,
    "index of git": _git,
    "certificate": _der,
    "pdf": _pdf,
    "ogg": _ogg,
    "mp4, avif": _boxes,
}
"""By name; each returns whether the content is of the format, and nothing else besides."""
