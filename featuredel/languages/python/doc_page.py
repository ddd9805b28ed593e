"""One document as lines, and the cuts that take a dead name's entries out of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from featuredel.languages.python.doc_marks import (
    DIRECTIVE,
    LISTING,
    MEMBERS,
    MKDOCSTRINGS,
    REFERENCE,
    Marks,
    Title,
)
from featuredel.languages.python.doc_names import DocNames, tokens

_OPTION = re.compile(r"^\s*:[\w-]+:")
_ITEM = re.compile(r"^(\s*)(?:[-*+]|\d+[.)]|#\.)\s+\S")


@dataclass(slots=True)
class Page:
    """A document. Lines are dropped by number, or replaced."""

    lines: list[str]  # with their line ends
    names: DocNames
    marks: Marks
    markdown: bool
    dropped: set[int] = field(default_factory=set)
    replaced: dict[int, str] = field(default_factory=dict)

    def cut(self) -> None:
        """Drop every entry whose subject is dead, then what that left empty."""
        if self.names.may_mean(self.marks.subjects):
            self._sections()
        if self.names.may_mean(self.marks.directives):
            self._directives()
        if self.names.may_mean(self.marks.members):
            self._members()
        if self.names.may_mean(self.marks.code):
            self._items()
            self._tables()
        if self.names.may_mean(self.marks.references):
            self._references()
        if self.dropped:
            self._hollow_items()
            self._hollow_sections()

    @property
    def text(self) -> str:
        """The document after the cuts."""
        kept = (self.replaced.get(n, t) for n, t in enumerate(self.lines) if n not in self.dropped)
        return "".join(kept)

    @property
    def is_empty(self) -> bool:
        """Whether nothing but titles and labels is left of a document that was cut."""
        titles = {n for title in self.marks.titles for n in range(title.first, title.after)}
        rest = (
            self.lines[n].strip() for n in range(len(self.lines)) if n not in titles | self.dropped
        )
        return bool(self.dropped) and not any(t for t in rest if not t.startswith((".. _", "---")))

    # --- rules

    def _directives(self) -> None:
        around: list[tuple[int, str]] = []
        listing: int | None = None
        for number, line in enumerate(self.lines):
            if not line.strip():
                continue
            indent = _indent(line)
            around = [(depth, name) for depth, name in around if depth < indent]
            if listing is not None and indent <= listing:
                listing = None
            found = DIRECTIVE.match(line) or (MKDOCSTRINGS.match(line) if self.markdown else None)
            if found is not None:
                name = found[2] if found.re is DIRECTIVE else found[1]
                outer = around[-1][1].rpartition(".")[2] if around else ""
                if self.names.is_dead(name, outer):
                    self._drop_block(number, indent)
                around.append((indent, name))
            elif LISTING.match(line):
                listing = indent
            elif listing is not None and self.names.is_dead(line.strip().lstrip("~!.")):
                self.dropped.add(number)

    def _members(self) -> None:
        """Take names out of `:members:` lists, which may run over several lines."""
        around = ""
        for number, line in enumerate(self.lines):
            found = DIRECTIVE.match(line)
            if found is not None:
                around = found[2].rpartition(".")[2]
            if number in self.dropped or not MEMBERS.match(line):
                continue
            end = number + 1
            while end < len(self.lines) and self._continues(end, _indent(line)):
                end += 1
            self._shorten(number, end, around)

    def _continues(self, number: int, indent: int) -> bool:
        line = self.lines[number]
        return bool(line.strip()) and _indent(line) > indent and not _OPTION.match(line)

    def _shorten(self, first: int, after: int, around: str) -> None:
        block = "".join(self.lines[first:after])
        head, option, rest = re.split(r"(:(?:exclude-)?members:\s*)", block, maxsplit=1)
        parts = rest.rstrip().split(",")
        kept = [
            part for part in parts
            if not (self.names.is_dead(part.strip(), around) or self.names.is_dead(part.strip()))
        ]  # fmt: skip
        if len(kept) == len(parts):
            return
        self.dropped.update(range(first + 1, after))
        if not kept:
            self.dropped.add(first)
            return
        end = block[len(block.rstrip()) :]
        self.replaced[first] = head + option + ",".join([kept[0].lstrip(), *kept[1:]]) + end

    def _sections(self) -> None:
        titles = self.marks.titles
        for position, title in enumerate(titles):
            subject = title.subject
            if not self.names.is_dead(subject):
                continue
            if subject.isalpha() and subject.islower() and not set("`(") & set(title.text):
                continue  # a plain word
            after = self._section_end(titles, position)
            inner = "".join(self.lines[title.after : after])
            shown = (m[2] for line in inner.splitlines() if (m := DIRECTIVE.match(line)))
            if not any(self.names.is_kept(name) for name in shown):
                self.dropped.update(range(self._with_labels(title.first), after))

    def _with_labels(self, first: int) -> int:
        """Return the first line of the labels that stand before a title, or the title's."""
        above = first
        while above and (not self.lines[above - 1].strip() or self._is_label(above - 1)):
            above -= 1
            if self._is_label(above):
                first = above
        return first

    def _is_label(self, number: int) -> bool:
        return self.lines[number].startswith(".. _")

    def _section_end(self, titles: Sequence[Title], position: int) -> int:
        for later in titles[position + 1 :]:
            if later.level <= titles[position].level:
                return self._with_labels(later.first)
        return len(self.lines)

    def _items(self) -> None:
        """Drop list items that tell of nothing but what is dead."""
        for number in sorted({n for line in self._told_on() for n in self._items_around(line)}):
            if number in self.dropped:
                continue
            after = self._block_end(number, _indent(self.lines[number]))
            named = list(tokens("".join(self.lines[number:after])))
            if any(self.names.is_kept(t) for t in named if not self.names.is_dead(t)):
                continue
            if any(map(self.names.is_dead, named)) and not self._says_more(number, after):
                self._drop(number, after)

    def _told_on(self) -> list[int]:
        """Return the lines that may mark something dead as code."""
        code = self.marks.code
        return sorted(
            {line for name in self.names.dead.keys() & code.keys() for line in code[name]}
        )

    def _items_around(self, number: int) -> Iterator[int]:
        """Yield where the list items begin that hold a line."""
        above: int | None = None
        while number >= 0 and above != 0:
            line = self.lines[number]
            if line.strip() and (above is None or _indent(line) < above):
                above = _indent(line)
                if _ITEM.match(line):
                    yield number
            number -= 1

    def _says_more(self, number: int, after: int) -> bool:
        """Tell whether a further paragraph of an item does not name what is dead."""
        paragraphs = "".join(self.lines[number:after]).split("\n\n")
        return any(
            not any(self.names.is_dead(t) for t in tokens(paragraph))
            for paragraph in paragraphs
            if paragraph.strip()
        )

    def _hollow_items(self) -> None:
        """Drop an item that announced others, all of which have gone."""
        for number in reversed(range(len(self.lines))):
            line = self.lines[number]
            if number in self.dropped or not line.rstrip().endswith(":") or not _ITEM.match(line):
                continue
            after = self._block_end(number, _indent(line))
            inner = [n for n in range(number + 1, after) if self.lines[n].strip()]
            if inner and self.dropped.issuperset(inner):
                self._drop(number, after)

    def _hollow_sections(self) -> None:
        """Drop titles below which nothing is left, if something was there."""
        titles = self.marks.titles
        for position in reversed(range(1, len(titles))):
            title = titles[position]
            after = self._section_end(titles, position)
            inner = [n for n in range(title.after, after) if self.lines[n].strip()]
            if inner and self.dropped.issuperset(inner) and title.first not in self.dropped:
                self.dropped.update(range(title.first, after))

    def _tables(self) -> None:
        for number in self._told_on():
            line = self.lines[number]
            if not line.lstrip().startswith("|") or number in self.dropped:
                continue
            named = list(tokens(line))
            if not any(self.names.is_dead(t) for t in named):
                continue
            if any(not self.names.is_dead(t) and self.names.is_kept(t) for t in named):
                continue
            if self._in_grid(number):
                self._grid_line(number)
            elif self.names.is_dead(next(iter(tokens(line.split("|")[1])), "")):
                self.dropped.add(number)

    def _in_grid(self, number: int) -> bool:
        while number and self.lines[number].lstrip().startswith("|"):
            number -= 1
        return self.lines[number].lstrip().startswith("+-") or "+=" in self.lines[number]

    def _grid_line(self, number: int) -> None:
        """Take one line out of a cell that lists a name per line; the row keeps its title."""
        line = self.replaced.get(number, self.lines[number])
        cells = line.split("|")
        listing = max(range(1, len(cells) - 1), key=lambda n: len(list(tokens(cells[n]))))
        others = [n for n in range(1, len(cells) - 1) if n != listing and cells[n].strip()]
        later = self._table_line(number, 1)
        if later is None and not others:
            before = self._table_line(number, -1)
            if before is not None:
                text = self.replaced.get(before, self.lines[before])
                self.replaced[before] = re.sub(r",(\s*\|)", r" \1", text)
            self.dropped.add(number)
        elif not others:
            self.dropped.add(number)
        elif later is not None:
            below = self.replaced.get(later, self.lines[later]).split("|")
            if len(below) == len(cells) and not any(below[n].strip() for n in others):
                below = [cells[n] if n in others else below[n] for n in range(len(below))]
                self.replaced[later] = "|".join(below)
                self.dropped.add(number)

    def _table_line(self, number: int, step: int) -> int | None:
        number += step
        while 0 <= number < len(self.lines) and number in self.dropped:
            number += step
        inside = 0 <= number < len(self.lines) and self.lines[number].lstrip().startswith("|")
        return number if inside else None

    def _references(self) -> None:
        """Drop link targets that nothing refers to any more."""
        rest = self.text
        for number, line in enumerate(self.lines):
            found = REFERENCE.match(line)
            if found and self.names.is_dead(found[1]) and rest.count(f"[{found[1]}]") <= 1:
                self.dropped.add(number)

    # --- blocks

    def _block_end(self, number: int, indent: int) -> int:
        """Return the line after a block that goes on as long as lines are indented deeper."""
        end = last = number + 1
        while end < len(self.lines):
            if self.lines[end].strip():
                if _indent(self.lines[end]) <= indent:
                    break
                last = end + 1
            end += 1
        return last

    def _drop_block(self, number: int, indent: int) -> None:
        self._drop(number, self._block_end(number, indent))

    def _drop(self, first: int, after: int) -> None:
        """Drop lines, and of the blank lines around them the fewer."""
        self.dropped.update(range(first, after))
        before = first - 1
        while before >= 0 and before in self.dropped:
            before -= 1
        while before >= 0 and not self.lines[before].strip():
            if after == len(self.lines) or self.lines[after].strip():
                break
            self.dropped.add(after)
            before, after = before - 1, after + 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
