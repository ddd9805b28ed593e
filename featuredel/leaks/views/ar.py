"""Archives of ar: static libraries, Rust's rlibs, Debian packages."""

from collections.abc import Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Damaged, Unseen, View

name = "ar"
claims = True

_MAGIC = b"!<arch>\n"
_HEADER_BYTES = 60


def applies(head: bytes, path: str) -> bool:
    """Return whether it begins like one."""
    return head.startswith(_MAGIC)


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield each member, the tables of names and symbols too."""
    at, long_names = len(_MAGIC), b""
    while at + _HEADER_BYTES <= len(view.content):
        budget.tick()
        header = view.content[at : at + _HEADER_BYTES]
        try:
            size = int(header[48:58])
        except ValueError as error:
            raise Damaged("ar: a header without a size") from error
        if header[58:60] != b"`\n" or size < 0:
            raise Damaged("ar: something that is no header")
        start = at + _HEADER_BYTES
        content = view.content[start : start + size]
        raw = header[:16].rstrip()
        if raw == b"//":
            long_names = content
        elif raw[:1] == b"/" and raw[1:].isdigit():
            raw = long_names[int(raw[1:]) :].partition(b"/\n")[0]
        yield view.part(name, raw.decode(errors="replace").rstrip("/") or "symbols", content)
        at = start + size + size % 2
