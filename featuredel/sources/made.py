"""What a source archive brings along of its own making, which a deletion would leave behind.

`PKG-INFO` holds the README once more, and `SOURCES.txt` the name of every file. Both would tell a
solver of what is gone. What installers and tests read of them, the headers, stays.
"""

import re
from email.parser import HeaderParser
from pathlib import Path

_DESCRIPTION = re.compile(r"^Description:.*\n(?:[ \t].*\n)*", re.MULTILINE)


def forget_what_was_made(root: Path) -> None:
    """Take the descriptions and file lists out of the metadata in a tree. Links are not followed.

    Only those of the project itself: metadata among its test data is left alone.
    """
    own = root / "PKG-INFO"
    name = _name(own)
    if name is None:
        return
    folders = sorted((*root.glob("*.egg-info"), *root.glob("*/*.egg-info")))
    kept = [folder / "PKG-INFO" for folder in folders if not folder.is_symlink()]
    for path in (own, *(path for path in kept if _name(path) == name)):
        path.write_bytes(without_description(path.read_text(errors="surrogateescape")))
        listing = path.parent / "SOURCES.txt"
        if path is not own and not listing.is_symlink():
            listing.unlink(missing_ok=True)


def without_description(metadata: str) -> bytes:
    """Return core metadata without the long description, be it a header or the body."""
    headers = metadata.replace("\r\n", "\n").partition("\n\n")[0].rstrip("\n") + "\n"
    return _DESCRIPTION.sub("", headers).encode(errors="surrogateescape")


def _name(path: Path) -> str | None:
    if path.is_symlink() or not path.is_file():
        return None
    return HeaderParser().parsestr(path.read_text(errors="surrogateescape"))["Name"]
