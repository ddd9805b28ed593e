"""Statements: one task told in three registers, deterministically and without a model.

`full` explains, `interface` is the bare contract, `terse` is a sentence beside visible tests. In
the first two, every need that the text did not tell in passing is listed at its end; what cannot
be listed (too much, too long, not printable) rejects the task in that register.
"""

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

from featuredel.languages.python.behaviours import behaviours, examples
from featuredel.languages.python.hooks import users
from featuredel.languages.python.interface import Entry, entries, imports_of
from featuredel.languages.python.needs import (
    Needs,
    gold_words,
    needs_of,
    removed_lines,
)
from featuredel.model import Deletion, Index, Statement, TestId

_WHAT_DECIDES = "Hidden tests decide. Tests that pass today must still pass."

MAX_LISTED = 80  # needs; a longer list is no statement any more
MAX_LISTED_TEXT = 300  # characters of one text
MAX_BEHAVIOURS = 60
MAX_DOC_LINES = 40


def describe(
    root: Path, index: Index, deletion: Deletion, f2p: tuple[TestId, ...],
    extra: tuple[str, ...] = (),
) -> Statement:  # fmt: skip
    """Return the statement of a deletion from the snapshot at `root`; see the module."""
    removed = removed_lines(root, deletion)
    needs = needs_of(root, deletion, gold_words(root, removed)).joined(extra)
    told = _Material(root, index, deletion, f2p, needs, removed)
    registers = {"full": told.full(), "interface": told.interface()}
    gaps = {}
    for register, text in registers.items():
        untold = needs.untold(text)
        text += _listed(untold)
        if left := _gaps(needs.untold(text), untold):
            gaps[register] = left
        registers[register] = text
    return Statement(
        full=None if "full" in gaps else registers["full"],
        interface=None if "interface" in gaps else registers["interface"],
        terse=told.terse(),
        gaps=gaps,
    )


def _listed(untold: Needs) -> str:
    lines: list[str] = []
    if untold.names:
        lines += ["", "## Names that the tests use", ""]
        lines += [", ".join(f"`{name}`" for name in untold.names)]
    texts = [text for text in untold.texts if _listable(text)]
    if texts:
        lines += ["", "## Texts that must be exactly so", ""]
        lines += [line for text in texts for line in ("```text", text, "```")]
    return "\n".join(lines) + "\n" if lines else ""


def _listable(text: str) -> bool:
    printable = all(c.isprintable() or c in "\n\t" for c in text)
    return len(text) <= MAX_LISTED_TEXT and "```" not in text and printable


def _gaps(left: Needs, listed: Needs) -> tuple[str, ...]:
    if len(listed.names) + len(listed.texts) > MAX_LISTED:
        return (f"{len(listed.names) + len(listed.texts)} names and texts to tell",)
    return (*left.names, *(text[:MAX_LISTED_TEXT] for text in left.texts))


class _Material:
    """All that is known about a deletion, and the three ways of telling it."""

    def __init__(
        self, root: Path, index: Index, deletion: Deletion, f2p: tuple[TestId, ...],
        needs: Needs, removed: Mapping[str, frozenset[int]],
    ) -> None:  # fmt: skip
        self.root, self.index, self.deletion, self.needs = root, index, deletion, needs
        self.removed = removed
        self.entries = entries(root, deletion)
        self.behaviours = behaviours(root, deletion, f2p)
        self.imports = imports_of(deletion)
        self.stub = deletion.form == "stub"

    # --- registers

    def full(self) -> str:
        return (
            "\n".join(
                [
                    f"# {self._title()}",
                    "",
                    self._opening(),
                    *self._interface_section(documented=True),
                    *self._where_it_hooks_in(),
                    *self._documentation(),
                    *self._behaviour_section(),
                    *self._example_section(),
                    "",
                    _WHAT_DECIDES,
                ]
            )
            + "\n"
        )

    def interface(self) -> str:
        return (
            "\n".join(
                [
                    f"# {self._title()}",
                    "",
                    self._request(),
                    *self._interface_section(documented=False),
                    *self._where_it_hooks_in(),
                    "",
                    _WHAT_DECIDES,
                ]
            )
            + "\n"
        )

    def terse(self) -> str:
        main = self._main()
        what = f"`{main.name}`" if main else self.deletion.feature.name
        purpose = _first_sentence(main.doc) if main else ""
        others = len({entry.name for entry in self.entries if entry.public}) - 1
        more = f" and what goes with it ({others} more public names)" if others > 0 else ""
        stop = "" if purpose.endswith((".", "!", "?")) else "."
        purpose = f" {purpose}{stop}" if purpose else ""
        verb = "Fill in" if self.stub else "Add"
        return f"{verb} {what}{more}.{purpose} The failing tests show what is wanted.\n"

    # --- parts

    def _main(self) -> Entry | None:
        named = [e for e in self.entries if e.name == self.deletion.feature.name]
        public = [e for e in self.entries if e.public]
        documented = [e for e in public if e.doc]
        return next(iter(named or documented or public or list(self.entries)), None)

    def _title(self) -> str:
        return f"{'Fill in' if self.stub else 'Write'} {self.deletion.feature.name}"

    def _opening(self) -> str:
        main = self._main()
        purpose = " ".join(main.doc.split("\n\n")[0].split()) if main and main.doc else ""
        return f"{self._request()}\n\n{purpose}".rstrip()

    def _request(self) -> str:
        missing = "has no body yet" if self.stub else "is missing from this repository"
        return f"`{self.deletion.feature.name}` {missing}. Write it."

    def _interface_section(self, *, documented: bool) -> list[str]:
        lines = ["", "## Interface"]
        told = [entry for entry in self.entries if self._is_told(entry)]
        for path in sorted({entry.path for entry in told}):
            here = [entry for entry in told if entry.path == path]
            lines += ["", f"In `{path}` (module `{here[0].module}`):", "", "```python"]
            for scope, inside in itertools.groupby(here, lambda e: e.qualname.rpartition(".")[0]):
                outer = scope.split(".") if scope else []
                lines += [
                    f"{'    ' * n}class {name}:  # it is there" for n, name in enumerate(outer)
                ]
                told_here = (
                    "\n".join(self._signature(entry, "    " * len(outer), documented))
                    for entry in inside
                )
                lines += [line for text in dict.fromkeys(told_here) for line in (text, "")]
            lines[-1:] = ["```"]
        if aliases := self._other_import_paths():
            lines += ["", "Importable as " + ", ".join(f"`{a}`" for a in aliases) + "."]
        return lines

    def _is_told(self, entry: Entry) -> bool:
        """Private names are the solver's own affair, unless the tests use them."""
        return any(e.public or e.qualname.rpartition(".")[2] in self.needs.names
                   for e in entry.walk())  # fmt: skip

    def _signature(self, entry: Entry, indent: str, documented: bool) -> Iterator[str]:
        colon = "" if entry.signature.endswith("= ...") else ":"
        yield from (indent + line for line in f"{entry.signature}{colon}".splitlines())
        if not colon:
            return
        doc = entry.doc if documented else _first_sentence(entry.doc)
        yield from _docstring(doc, indent + "    ")
        if entry.raises:
            yield f"{indent}    # raises {', '.join(entry.raises)}"
        members = [member for member in entry.members if self._is_told(member)]
        for member in members:
            yield from self._signature(member, indent + "    ", documented)
        if not members:
            yield f"{indent}    ..."

    def _other_import_paths(self) -> list[str]:
        names = {entry.qualname: entry.name for entry in self.entries}
        found = set()
        for dotted in self.imports:
            own = names.get(dotted.rpartition(".")[2])
            if own is not None and own != dotted:
                found.add(dotted)
        return sorted(found)

    def _where_it_hooks_in(self) -> list[str]:
        """Name the kept definitions that used the deleted ones, and where others are gone with it.

        Which private helpers there were is the solver's own affair, but not that a file with
        nothing else of the interface has lost one.
        """
        if self.stub:
            return []
        lines: list[str] = []
        used = users(self.root, self.index, self.deletion)
        if kept := [_place(user) for user in used]:
            lines.append("It was used by " + ", ".join(kept) + ".")
        told = {entry.path for entry in self.entries if self._is_told(entry)}
        if gone := [_place(f"{e.path}::{e.qualname}") for e in self.entries if e.path not in told]:
            lines.append("Gone with it: " + ", ".join(dict.fromkeys(gone)) + ".")
        text = [part for line in lines for part in ("", line)]
        return ["", "## Where it is used", *text] if text else []

    def _documentation(self) -> list[str]:
        """Quote what the project's own documents said."""
        lines: list[str] = []
        for path in self.deletion.gold_paths:
            numbers = self.removed.get(path, frozenset())
            if numbers and path.endswith((".rst", ".md", ".txt")):
                text = (self.root / path).read_bytes().decode("utf-8", "replace").splitlines()
                quoted = [f"> {text[n - 1]}".rstrip() for n in sorted(numbers)][:MAX_DOC_LINES]
                lines += ["", f"From `{path}`:", "", *quoted]
        return ["", "## Documentation", *lines] if lines else []

    def _behaviour_section(self) -> list[str]:
        told = list(dict.fromkeys(b.text for b in self.behaviours))
        if not told:
            return []
        more = [f"- and {len(told) - MAX_BEHAVIOURS} more"] if len(told) > MAX_BEHAVIOURS else []
        bullets = [f"- {text}" for text in told[:MAX_BEHAVIOURS]] + more
        return ["", "## What the tests look at", "", *bullets]

    def _example_section(self) -> list[str]:
        names = {entry.qualname.rpartition(".")[2] for e in self.entries for entry in e.walk()}
        found = examples(self.behaviours, names, 2) or examples(self.behaviours, (), 2)
        if not found:
            return []
        return ["", "## Examples", *(line for e in found for line in ("", "```python", e, "```"))]


def _place(definition: str) -> str:
    path, _, name = definition.partition("::")
    return f"{f'`{name}`' if name else 'the module itself'} in `{path}`"


def _first_sentence(doc: str) -> str:
    first = " ".join(doc.split("\n\n")[0].split())
    head, stop, _ = first.partition(". ")
    return head + stop.strip()


def _docstring(doc: str, indent: str) -> Iterator[str]:
    if doc:
        lines = doc.replace('"""', "'''").splitlines()
        yield indent + '"""' + lines[0] + ('"""' if len(lines) == 1 else "")
        if len(lines) > 1:
            yield from ((indent + line).rstrip() for line in lines[1:])
            yield indent + '"""'
