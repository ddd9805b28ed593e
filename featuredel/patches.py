"""Reading unified diffs: which lines a patch adds, and what stands in them."""

import re
from collections.abc import Iterator

_CHANGED = re.compile(rb'^diff --git (?:"?a/.*?"?) ("?b/.*?"?)$', re.MULTILINE)
_FILE = re.compile(rb"^\+\+\+ (?:b/)?(.*?)\t?$")
_HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def added_lines(patch: bytes) -> dict[str, frozenset[int]]:
    """Return, by path, the line numbers in the new files of the lines that a git patch adds.

    Binary hunks add no lines. Quoted paths are decoded as git quotes them.
    """
    found: dict[str, set[int]] = {}
    for path, line, _ in _walk(patch.split(b"\n")):
        found.setdefault(path, set()).add(line)
    return {path: frozenset(lines) for path, lines in found.items()}


def added_text(patch: bytes) -> dict[str, str]:
    """Return the lines that a git patch adds, those that follow each other as one text.

    The keys are the paths, behind a number and a slash: "0/pkg/mod.py". Binary hunks have none.
    """
    blocks: list[tuple[str, list[bytes]]] = []
    last = ("", -1)
    for path, line, text in _walk(patch.split(b"\n")):
        if (path, line - 1) != last:
            blocks.append((path, []))
        blocks[-1][1].append(text)
        last = (path, line)
    return {
        f"{number}/{path}": b"\n".join(lines).decode(errors="replace") + "\n"
        for number, (path, lines) in enumerate(blocks)
    }


def changed_paths(patch: bytes) -> frozenset[str]:
    """Return the paths of the files that a git patch touches."""
    return frozenset(_unquote(match).removeprefix("b/") for match in _CHANGED.findall(patch))


def _walk(lines: list[bytes]) -> Iterator[tuple[str, int, bytes]]:
    path, old_left, new_left, new_line = "", 0, 0, 0
    for line in lines:
        if old_left <= 0 and new_left <= 0:  # between hunks: headers
            if match := _FILE.match(line):
                path = _unquote(match[1])
            elif match := _HUNK.match(line):
                old_left = int(match[1] or 1)
                new_line, new_left = int(match[2]), int(match[3] or 1)
            continue
        if line.startswith(b"+"):
            yield path, new_line, line[1:]
        old_left -= line[:1] in (b" ", b"-")
        if line[:1] in (b" ", b"+"):
            new_line, new_left = new_line + 1, new_left - 1


def _unquote(name: bytes) -> str:
    if name.startswith(b'"') and name.endswith(b'"'):
        name = name[1:-1].decode("unicode_escape").encode("latin-1").removeprefix(b"b/")
    return name.decode("utf-8", "surrogateescape")
