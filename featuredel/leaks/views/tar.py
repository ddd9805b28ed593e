"""Tar archives, plain; a compressed one comes here from its stream."""

from collections.abc import Iterator

from featuredel.leaks.bounds import Budget
from featuredel.leaks.views.view import Damaged, Unseen, View, reader
from featuredel.tarfiles import tarfile

name = "tar"
claims = True

_MAGIC_AT = 257
_CHECKSUM = slice(148, 156)
_BLOCK_BYTES = 512


def applies(head: bytes, path: str) -> bool:
    """Return whether the first block is the header of a member, also one older than POSIX."""
    if head[_MAGIC_AT : _MAGIC_AT + 5] == b"ustar":
        return True
    block = head[:_BLOCK_BYTES]
    if len(block) < _BLOCK_BYTES or not block[0]:
        return False
    try:
        expected = int(block[_CHECKSUM].strip(b" \0") or b"x", 8)
    except ValueError:
        return False
    return expected == sum(block) - sum(block[_CHECKSUM]) + 8 * ord(" ")


def views(view: View, budget: Budget) -> Iterator[View | Unseen]:
    """Yield each member as it is stored: of a sparse one the data, not the holes."""
    content = view.content
    end = 0
    with reader(content) as stream:
        try:
            with tarfile.open(fileobj=stream, mode="r:", errors="replace") as archive:
                for member in archive:
                    # what it knows of earlier members is not needed, and grows
                    archive.members = []  # type: ignore[attr-defined]
                    budget.tick()
                    start, end = member.offset_data, archive.offset
                    stored = content[start : min(start + member.size, end)]
                    if member.isreg() and stored:
                        yield view.part(name, member.name, stored)
                    else:
                        names = f"{member.name}\n{member.linkname}".encode(errors="replace")
                        yield view.part(name, member.name, names, deeper=False)
        except (tarfile.TarError, ValueError, OverflowError, RecursionError) as error:
            raise Damaged(f"tar: {error}") from error
    if rest := content[end:].strip(b"\0"):
        yield view.part(name, "after the end", rest)
