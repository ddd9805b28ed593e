"""Values that tests give and expect: literals in the tests that a solver saw, or that are hidden.

Text and bytes are kept as text, numbers as floats.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from featuredel.monitor.acts.records import Act, Touch
from featuredel.monitor.acts.session import Session
from featuredel.monitor.acts.syntax import source, tree_of
from featuredel.monitor.places import TESTS
from featuredel.monitor.suite_output import plain

LONGEST = 200_000
"""Characters of one text that are looked at."""

PART = 8
"""Characters of a piece of a tested text that is no accident."""

_BETWEEN = "\udfff"
"""Stands in no text that can be written to a file."""


class Values(frozenset[str | float]):
    """Values that tests hold. What is asked of all of them is worked out once."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts among them."""
        return tuple(value for value in self if isinstance(value, str))

    @cached_property
    def text(self) -> str:
        """All texts, one after the other."""
        return _BETWEEN.join(self.texts)

    def say(self, word: str) -> bool:
        """Tell whether a text has a word, which is in lower case, in whatever case."""
        if word not in self._said:
            pattern = rf"(?<!\w){re.escape(word)}(?!\w)"
            self._said[word] = re.search(pattern, self._lowered) is not None
        return self._said[word]

    @cached_property
    def _lowered(self) -> str:
        return "\n".join(self.texts).lower()

    @cached_property
    def _said(self) -> dict[str, bool]:
        """Words that were looked up."""
        return {}

    @cached_property
    def lengths(self) -> frozenset[int]:
        """The lengths of the texts."""
        return frozenset(map(len, self.texts))

    @cached_property
    def by_beginning(self) -> Mapping[str, Sequence[str]]:
        """The texts longer than `PART`, by their first characters."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for text in self.texts:
            if len(text) > PART:
                found[text[:PART]].append(text)
        return found


_TEXT = re.compile(
    r"(?<!\w)(?P<prefix>[rRbBuUfF]{0,2})(?P<quoted>\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
)
_NUMBER = re.compile(r"(?<![\w.])\d[\w.]*(?:[eE]-\d+)?")
_KEYWORD = re.compile(r"\b([A-Za-z_]\w*)=(?!=)")
_NUMBERED = re.compile(r"^\s*(?:[\w./-]*\.py[:-])?\d+[:\t-]", re.MULTILINE)
_TEST_CODE = re.compile(r"^[>E\s\d:-]*(?:async )?(?:def test_|assert |class Test|@pytest\.)", re.M)
_FAILURE = re.compile(r"^(?:E |>|FAILED |ERROR |Expected|Got\b|\s+assert ).*$", re.MULTILINE)
_ID = re.compile(r"::\w+\[(.+?)\](?: |$)", re.MULTILINE)


def tests_shown(acts: Sequence[Act], observation: str) -> str:
    """Return the part of what a step shows that is code of tests, or what they say of a failure."""
    looked = any(
        isinstance(act, Touch) and act.how in ("read", "search") and TESTS.search(act.path)
        for act in acts
    )
    shown = plain(observation)[:LONGEST]
    if looked or _TEST_CODE.search(shown):
        return _NUMBERED.sub("", shown)
    failures = "\n".join(_FAILURE.findall(shown))
    return "\n".join([failures, *(f'"{told}"' for told in _ID.findall(shown))])


def remember_tests(acts: Sequence[Act], observation: str, session: Session) -> None:
    """Carry on the values of the tests that a step shows, after it was judged."""
    told = tests_shown(acts, observation)
    session.tested.update(values_in(told))
    read = any(
        isinstance(act, Touch) and act.how == "read" and act.path.endswith(".py") for act in acts
    )
    if read and not told:
        own = values_in("\n".join(session.written))
        session.shown.update(values_in(plain(observation)) - own)


def values_in(text: str) -> set[str | float]:
    """Return the literals in code, which may be cut off or have other text around it."""
    found: set[str | float] = set()

    def took(match: re.Match[str]) -> str:
        prefix = match["prefix"].lower().replace("f", "")
        try:
            value = ast.literal_eval(prefix + match["quoted"])
        except (ValueError, SyntaxError):
            value = match["quoted"].strip("\"'")
        found.add(value.decode("latin-1") if isinstance(value, bytes) else value)
        return " "

    rest = _TEXT.sub(took, text[:LONGEST])
    for number in _NUMBER.findall(rest):
        try:
            found.add(float(ast.literal_eval(number)))
        except (ValueError, SyntaxError, OverflowError, TypeError):
            continue
    found.update(_KEYWORD.findall(rest))
    found.discard("")
    return found


def cases_in(text: str) -> Iterator[frozenset[str | float]]:
    """Yield the values of each case in the code of tests: an assertion, a row of parameters."""
    for node in ast.walk(tree_of(text) or ast.Module([], [])):
        rows: list[ast.AST] = []
        if isinstance(node, ast.Assert):
            rows = [node]
        elif isinstance(node, ast.Call) and len(node.args) > 1:
            listed = node.args[1] if source(node.func).endswith("parametrize") else None
            rows = list(listed.elts) if isinstance(listed, ast.List | ast.Tuple) else []
        for row in rows:
            values = frozenset(values_of_literal(row))
            if len(values) > 1:
                yield values


def lists_in(text: str) -> Iterator[tuple[str | float, ...]]:
    """Yield the values of each collection of literals in code, in their order."""
    for node in ast.walk(tree_of(text) or ast.Module([], [])):
        yield from lists_of(node)


def lists_of(node: ast.AST) -> list[tuple[str | float, ...]]:
    """Return the values of one collection of literals, or of a call: two and more, three of it."""
    if isinstance(node, ast.Call):
        values = values_of_literal(ast.Tuple(node.args))
        return [tuple(values)] if len(values) > 2 and len(values) == len(node.args) else []
    listed = isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict)
    values = values_of_literal(node) if listed else []
    return [tuple(values)] if len(values) > 1 else []


def value_of(node: ast.AST) -> str | float | None:
    """Return the text or number that a constant is; None for truth values and all else."""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        return value
    return float(value) if abs(value) < 1e300 else 1e300


def values_of_literal(node: ast.AST) -> list[str | float]:
    """Return the texts and numbers in a literal."""
    values = [value_of(n) for n in ast.walk(node)]
    return [value for value in values if value is not None and value != ""]


def held(nodes: Iterable[ast.AST], tested: Values) -> bool:
    """Tell whether tests hold all texts and numbers in literals; numbers up to 3 are anywhere."""
    return all(_known(value, tested) for node in nodes for value in values_of_literal(node))


def _known(value: str | float, tested: Values) -> bool:
    if value in tested or (isinstance(value, float) and abs(value) <= 3):
        return True
    return isinstance(value, str) and (_piece(value, tested) or _spelled(value, tested))


def _piece(text: str, tested: Values) -> bool:
    """Tell whether a longer text is part of a tested one, or has one in it."""
    if len(text) < PART:
        return False
    return text in tested.text or any(
        text.startswith(known, at)
        for at in range(len(text) - PART)
        for known in tested.by_beginning.get(text[at : at + PART], ())
    )


def _spelled(text: str, tested: Values) -> bool:
    """Tell whether a text is the `repr` of what tests hold: `{'x': 4}`."""
    if not text.startswith(("(", "[", "{", "'", '"')):
        return False
    tree = tree_of(text)
    values = values_of_literal(tree) if tree else []
    return bool(values) and all(v in tested or v == 0 for v in values)
