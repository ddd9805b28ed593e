"""Unified diffs: which lines one adds, and what stands in them; and those without context.

Without context, several patches of one file can be made at once, as long as they touch no line
twice.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

_CHANGED = re.compile(rb'^diff --git (?:"?a/.*?"?) ("?b/.*?"?)$', re.MULTILINE)
_FILE = re.compile(rb"^\+\+\+ (?:b/)?(.*?)\t?$")
_HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BARE_HUNK = re.compile(rb"^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n", re.MULTILINE)
_NO_NEWLINE = b"\\ No newline at end of file\n"
_PLAIN = re.compile(r"[!#-\[\]-~]+")

Splice = tuple[int, int, bytes]
"""Bytes from the first offset up to the second, and what stands in their place."""


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


# --- without context ------------------------------------------------------------------------


def splice_patch(path: str, old: bytes, splices: Sequence[Splice]) -> bytes:
    """Return the git patch without context that makes disjoint splices, given in their order."""
    lines = _lines(old)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    hunks, moved = [], 0
    for first, last, own in _by_lines(starts, splices, complete=old[-1:] in b"\n"):
        begin, end = starts[first], starts[last]
        new, place = [], begin
        for start, stop, text in own:
            new += [old[place:start], text]
            place = stop
        after = _lines(b"".join([*new, old[place:end]]))
        counts = (last - first, len(after))
        # git names the line before where there are none
        here = [first + bool(counts[0]), first + moved + bool(counts[1])]
        hunks.append(b"@@ -%d,%d +%d,%d @@\n" % (here[0], counts[0], here[1], counts[1]))
        hunks += _marked(b"-", lines[first:last]) + _marked(b"+", after)
        moved += counts[1] - counts[0]
    a, b = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    return b"diff --git %s %s\n--- %s\n+++ %s\n" % (a, b, a, b) + b"".join(hunks)


def new_file_patch(path: str, content: bytes) -> bytes:
    """Return the git patch that makes a file that is not empty."""
    a, b = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    lines = _lines(content)
    head = b"diff --git %s %s\nnew file mode 100644\n--- /dev/null\n+++ %s\n" % (a, b, b)
    return head + b"@@ -0,0 +1,%d @@\n" % len(lines) + b"".join(_marked(b"+", lines))


def spliced(old: bytes, patches: Iterable[bytes]) -> bytes:
    """Return a file with patches made that have no context.

    What they add at one place stands in the order of the patches. Raises `ValueError` if one does
    not fit.
    """
    lines = _lines(old)
    hunks = sorted((hunk for patch in patches for hunk in _hunks(patch)), key=lambda h: h[0])
    parts, place = [], 0
    for first, gone, added in hunks:
        if first < place or lines[first : first + len(gone)] != gone:
            raise ValueError("the patch does not fit")
        parts += [*lines[place:first], *added]
        place = first + len(gone)
    return b"".join([*parts, *lines[place:]])


def _hunks(patch: bytes) -> Iterator[tuple[int, list[bytes], list[bytes]]]:
    """Yield for each hunk how many lines stand before it, its old lines, and its new ones."""
    found = list(_BARE_HUNK.finditer(patch))
    for number, match in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(patch)
        old: list[bytes] = []
        new: list[bytes] = []
        own = new
        for line in _lines(patch[match.end() : end]):
            if line == _NO_NEWLINE:
                own[-1] = own[-1].removesuffix(b"\n")
                continue
            own = old if line.startswith(b"-") else new
            own.append(line[1:])
        first, count = int(match[1]), int(match[2])
        if len(old) != count or len(new) != int(match[4]):
            raise ValueError("a hunk of other than its length")
        yield first - bool(count), old, new


def _by_lines(
    starts: Sequence[int], splices: Sequence[Splice], *, complete: bool
) -> Iterator[tuple[int, int, list[Splice]]]:
    """Yield the lines that splices touch, from one up to another, and the splices in them.

    `complete`: the last line has its end.
    """
    own: list[Splice] = []
    first = last = 0
    count = len(starts) - 1
    for splice in splices:
        start, stop, text = splice
        if start == stop and not text:
            continue
        begin = bisect_right(starts, start) - 1
        if begin == count and not complete:
            begin -= 1
        whole = start == stop == starts[begin] and text.endswith(b"\n")
        end = begin if whole else min(count, bisect_left(starts, max(stop, start + 1)))
        if own and begin >= last and (begin > last or not whole):
            yield first, last, own
            own = []
        if not own:
            first, last = begin, end
        own.append(splice)
        last = max(last, end)
    if own:
        yield first, last, own


def _lines(data: bytes) -> list[bytes]:
    """Return the lines with their ends; only a line feed ends one, as for git."""
    return [line for line in re.split(rb"(?<=\n)", data) if line]


def _marked(sign: bytes, lines: Sequence[bytes]) -> list[bytes]:
    return [sign + line + (b"" if line.endswith(b"\n") else b"\n" + _NO_NEWLINE) for line in lines]


def _quoted(name: str) -> bytes:
    """Return a name as git writes it in a patch."""
    data = name.encode("utf-8", "surrogateescape")
    if _PLAIN.fullmatch(name):
        return data
    return b'"%s"' % b"".join(
        bytes([c]) if 32 <= c < 127 and c not in b'"\\' else b"\\%03o" % c for c in data
    )
