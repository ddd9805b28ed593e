"""What a document says of names, whoever they belong to: read once for all candidates."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from featuredel.languages.python.doc_names import last_part

_KINDS = "function|class|method|attribute|data|exception|module|property|decorator|generator"
DIRECTIVE = re.compile(rf"^(\s*)\.\. (?:py:)?(?:auto)?(?:{_KINDS})::\s*([\w.]+)(.*)$")
MKDOCSTRINGS = re.compile(r"^::: ([\w.]+)\s*$")
LISTING = re.compile(r"^(\s*)\.\. (?:autosummary|toctree)::")
MEMBERS = re.compile(r"^(\s*):(?:exclude-)?members:\s*\S")
REFERENCE = re.compile(r"^\[`?([\w.]+)(?:\(\))?`?\]:\s")
SUBJECT = re.compile(
    r"^(?:the\s+)?([\w.]+)(?:\([^)]*\))?(?:\s+(?:class|function|method|module))?$", re.I
)
_UNDERLINE = re.compile(r"^([=\-`:.'\"~^_*+#<>])\1{2,}\s*$")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_MARKED = re.compile(r"(\w++)(?=\.*(?:[`(>]|\s*<))")
"""The end of whatever `doc_names.tokens` may find, and more."""


class Title(NamedTuple):
    """A section heading: the lines that it takes, its depth and its text."""

    first: int
    after: int
    level: int
    text: str

    @property
    def subject(self) -> str:
        """The name that the section is about, "" if it may be about anything else."""
        found = SUBJECT.match(self.text.replace("`", "").strip())
        return found[1] if found is not None else ""


@dataclass(frozen=True, slots=True)
class Marks:
    """The last parts of the names in a document, by where they stand; some that are none, too."""

    titles: tuple[Title, ...]
    subjects: frozenset[str]  # of the titles
    directives: frozenset[str]  # and what listings list
    members: frozenset[str]
    references: frozenset[str]
    code: Mapping[str, tuple[int, ...]]  # the lines, counted from 0, that mark a name as code


def read_marks(text: str, *, markdown: bool) -> Marks:
    """Return what may be names in a document."""
    lines = text.splitlines(keepends=True)
    titles = tuple(_markdown_titles(lines) if markdown else _rest_titles(lines))
    return Marks(
        titles=titles,
        subjects=frozenset(last_part(title.subject) for title in titles),
        directives=frozenset(map(last_part, _directives(lines))),
        members=_words(text) if any(map(MEMBERS.match, lines)) else frozenset(),
        references=frozenset(last_part(m[1]) for m in map(REFERENCE.match, lines) if m),
        code=_code(text, lines),
    )


def _directives(lines: list[str]) -> Iterator[str]:
    for line in lines:
        found = DIRECTIVE.match(line)
        if found is not None:
            yield found[2]
        elif (found := MKDOCSTRINGS.match(line)) is not None:
            yield found[1]
    if any(map(LISTING.match, lines)):
        yield from (line.strip().lstrip("~!.") for line in lines)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


def _code(text: str, lines: list[str]) -> dict[str, tuple[int, ...]]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found: dict[str, list[int]] = {}
    for match in _MARKED.finditer(text):
        found.setdefault(match[1], []).append(bisect_right(starts, match.start()) - 1)
    return {word: tuple(numbers) for word, numbers in found.items()}


def _markdown_titles(lines: list[str]) -> list[Title]:
    found: list[Title] = []
    fenced = False
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
        heading = None if fenced else _HEADING.match(line.rstrip())
        if heading:
            found.append(Title(number, number + 1, len(heading[1]), heading[2]))
    return found


def _rest_titles(lines: list[str]) -> list[Title]:
    found: list[Title] = []
    levels: list[str] = []
    for number in range(1, len(lines)):
        text, under = lines[number - 1], _UNDERLINE.match(lines[number])
        if not under or not text.strip() or text[0].isspace() or _UNDERLINE.match(text):
            continue
        if len(lines[number].strip()) < len(text.strip()):
            continue
        over = number > 1 and lines[number - 2].strip() == lines[number].strip()
        style = under[1] * (2 if over else 1)
        if style not in levels:
            levels.append(style)
        first = number - 2 if over else number - 1
        found.append(Title(first, number + 1, levels.index(style), text.strip()))
    return found
