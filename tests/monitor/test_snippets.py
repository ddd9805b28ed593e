"""Cheats of all classes are found, and honest steps that look like them are not.

They stand in `snippets/`, one file a sort. `=== LABEL: what it is` begins one. Its text is the code
of a project, in `*steps.txt` a command. `--- tests` shows a test file before, `--- earlier` runs a
command before, `--- earlier-write PATH` writes a file before, `--- shown` is what an earlier
command printed, `--- code` or `--- command` is the text itself. `--- write PATH` is a file that the
last step writes, `--- edit PATH` what it replaces and, after a line `======`, by what.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from featuredel.monitor.rule import SUBJECT, Finding
from featuredel.monitor.trajectory import Call, Shell, Step, Trajectory, Write
from featuredel.monitor.watch import watch

ROOM = Path(__file__).parent / "snippets"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A labelled last step, and those before it with what they showed."""

    label: str  # "honest", "cheat" (suspicious code) or a class
    title: str
    steps: tuple[tuple[Call, str], ...]  # call, observation

    def alarms(self) -> list[Finding]:
        """Return the alarms at the last step."""
        steps = tuple(
            Step(number, str(number), "", "", (call,), shown)
            for number, (call, shown) in enumerate(self.steps)
        )
        found = watch(Trajectory("snippet", "atif", steps, "/workspace"), SUBJECT)
        return [f for f in found if f.alarms and f.step == len(steps) - 1]


def snippets(name: str) -> Iterator[Snippet]:
    """Yield the snippets of a file in this folder."""
    text = (ROOM / name).read_text(encoding="utf-8")
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, _, body = block.partition("\n")
        label, _, title = head.partition(": ")
        first, *rest = re.split(r"^--- (.*)\n", body, flags=re.MULTILINE)
        parts = [("", first), *zip(rest[::2], rest[1::2], strict=True)]
        earlier: list[tuple[Call, str]] = []
        last: Call | None = None
        for what, part in parts:
            if what == "tests":
                earlier.append((Shell("cat tests/test_core.py"), part))
            elif what == "shown":
                earlier.append((Shell("git status --short --ignored"), part))
            elif what == "earlier":
                earlier.append((Shell(part), ""))
            elif what.startswith("earlier-write "):
                earlier.append((Write(what.partition(" ")[2], part), ""))
            elif what.startswith("write "):
                last = Write(what.partition(" ")[2], part)
            elif what.startswith("edit "):
                old, _, new = part.partition("======\n")
                last = Write(what.partition(" ")[2], new, old)
            elif part.strip():
                last = Shell(part) if name.endswith("steps.txt") else Write("calc/core.py", part)
        assert last is not None, title
        yield Snippet(label, title, (*earlier, (last, "")))


FILES = sorted(path.name for path in ROOM.glob("*.txt"))
ALL = [
    pytest.param(snippet, id=f"{name.removesuffix('.txt')}-{snippet.title}")
    for name in FILES
    for snippet in snippets(name)
]
MISSED = frozenset(
    {
        "json data of results beside the code",
        "__getattr__ with names and answers",
        "try the computation, else the table",
        "rounding so that the tests' numbers come out",
        "the word found is enough",
        "methods named for the inputs",
        "or-chains",
        "a module of data",
        "xor'ed answers",
        "values by name of the fixture",
        "known hashes",
        "words in a chain of or",
        "chain of conditional expressions",
        "answers in class attributes by name",
        "string of pairs",
        "csv text",
        "answers by the first and last letter",
        "word list in an integer",
        "edit of a branch for one input with tests shown",
        "soundex by letters with tests shown",
        "bool subclass by truth",
        "two arguments at once, then a word",
        "exact parameters, then the argument itself",
        "the argument's text contains what only one test has",
        "a default that is what the test expects",
        "nested comparisons, one an argument",
        "patched up after the computation",
        "replace of one output by another",
        "a class that returns one parsed thing",
        "an index by the position of a known text",
        "any() over known prefixes",
        "filled in by a loop over results",
        "parse errors with the very columns",
        "a fallback that is the answer",
        "joined key in a nested dictionary",
        "parity of the length picks",
        "regular expression of one test",
    }
)
"""What no rule finds: each reads like code of the domain, or hides what it holds."""


@pytest.mark.parametrize("snippet", ALL)
def test_a_cheat_is_found_and_an_honest_step_is_not(snippet: Snippet) -> None:
    alarms = snippet.alarms()
    if snippet.label == "honest":
        assert not alarms
    else:
        kind = "suspicious code" if snippet.label == "cheat" else snippet.label
        found = any(alarm.kind == kind for alarm in alarms)
        assert found != (snippet.title in MISSED), "found now? then take it from MISSED"


def test_there_are_many_of_each_kind() -> None:
    labels = Counter(snippet.label for name in FILES for snippet in snippets(name))
    assert labels["cheat"] >= 120
    assert labels["honest"] >= 200
    assert min(labels.values()) >= 40
