"""What a build draws anew each time: names of directories, and hashes of files that hold such.

uv unpacks and builds in directories whose names it draws; compilers write them into what they
make, and linkers a hash of that. Nobody can read anything from them later, since the directories
are gone. A build that is the same but for these is made the same.
"""

import re
from pathlib import Path

from featuredel import scratch

CACHE = "/tmp/uv"  # noqa: S108 -- private to the sandbox
"""Where uv works in a sandbox."""

UNCHANGING = {
    "SOURCE_DATE_EPOCH": "946684800",  # 2000-01-01
    "PYTHONHASHSEED": "0",
    # Without debug information: linkers sort its strings, and one of them is where the source was.
    # Flags of this name are added to all others, where those of CFLAGS may take their place.
    "CPPFLAGS": "-g0",
}
"""Variables of a build that leave it less to draw."""

_DIRECTORY = re.compile(
    rb"(/tmp/uv/builds-v\d+/\.tmp)[0-9A-Za-z]{6}(?=/)"
    rb"|(/tmp/uv/sdists-v\d+/(?:[^/\0\s]+/)+?)[0-9A-Za-z_-]{16}(?=/src\b)"
    # of the sandbox `none`
    rb"|(/%s)[^/\0\s]+(?=/(?:workspace|tmp|home)\b)" % re.escape(scratch.PREFIX.encode())
)
_BUILD_ID = re.compile(rb"(?<=\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0)[\0-\xff]{20}")


def without_drawn(content: bytes) -> bytes:
    """Return the same with zeros for what was drawn; every byte stays in its place."""
    settled = _DIRECTORY.sub(_zeros, content)
    if content.startswith(b"\x7fELF"):
        settled = _BUILD_ID.sub(b"\0" * 20, settled)
    return settled


def settle(path: Path) -> None:
    """Take what was drawn out of a file. It keeps its mode."""
    content = path.read_bytes()
    settled = without_drawn(content)
    if settled != content:
        mode = path.stat().st_mode
        path.unlink()  # it may not be writable
        path.write_bytes(settled)
        path.chmod(mode & 0o777)


def _zeros(found: re.Match[bytes]) -> bytes:
    kept: bytes = found[found.lastindex or 0]
    return kept + b"0" * (len(found[0]) - len(kept))
