"""Finding all needles of all kinds in some bytes; the one home of ahocorasick-rs.

There is an automaton for each form of the same bytes that a needle is sought in: as they are,
without white space (a copy may be indented or wrapped otherwise), with nothing but the letters of
words (the parameters of a function, however a cache parts them), and with every identifier the
same (a copy that was renamed).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ahocorasick_rs import BytesAhoCorasick

from featuredel.leaks.needle import Kind, Needle, Needles
from featuredel.leaks.tokens import WORD, normalised, stripped, words

WEAK = frozenset({"number", "normalised"})
ENOUGH_WEAK = 3
"""A number or a shape of code occurs by chance; so many of them in one place do not."""

LONG, NEAR = 8, 32
"""Where a NUL is near, as in compiled files, a name of so many letters need not stand alone: the
length and kind of what comes next may look like letters."""


def as_is(content: bytes) -> bytes:
    """Return the bytes."""
    return content


Form = Callable[[bytes], bytes]

_FORMS: dict[Kind, Form] = {
    "identifier": as_is,
    "string": as_is,
    "number": as_is,
    "kgram": stripped,
    "sentence": stripped,
    "signature": words,
    "normalised": normalised,
}


@dataclass(frozen=True, slots=True)
class Matcher:
    """Finds `needles`; built once and used for many contents."""

    needles: Needles
    _searches: tuple["_Search", ...] = field(init=False, repr=False, compare=False)
    _needed: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Build the automata."""
        by_form: dict[Form, dict[bytes, list[Needle]]] = {}
        for needle in self.needles.secret:
            form = _FORMS[needle.kind]
            if pattern := form(needle.text.encode(errors="replace")):
                by_form.setdefault(form, {}).setdefault(pattern, []).append(needle)
        searches = (
            _Search(form, BytesAhoCorasick(list(by_form[form])), tuple(by_form[form].values()))
            for form in (as_is, stripped, words, normalised)
            if form in by_form
        )
        weak = sum(needle.kind in WEAK for needle in self.needles.secret)
        object.__setattr__(self, "_searches", tuple(searches))
        object.__setattr__(self, "_needed", min(ENOUGH_WEAK, weak))

    def find(self, content: bytes) -> Iterator[Needle]:
        """Yield each needle that `content` shows, once; what occurs by chance only in company."""
        seen = list(self.seen(content))
        weak = [needle for needle in seen if needle.kind in WEAK]
        if len(weak) == len(seen) < self._needed:
            return
        yield from seen

    def seen(self, content: bytes) -> Iterator[Needle]:
        """Yield each needle that `content` shows, once, be it by chance."""
        done: set[Needle] = set()
        for search in self._searches:
            for needle in search.seen(content):
                if needle not in done:
                    done.add(needle)
                    yield needle


@dataclass(frozen=True, slots=True)
class _Search:
    """An automaton over one form of the content, and the needles of each of its patterns."""

    form: Form
    automaton: BytesAhoCorasick
    needles: tuple[list[Needle], ...]

    def seen(self, content: bytes) -> Iterator[Needle]:
        if self.form is normalised and b"\0" in content:
            return  # who renames what he copies has its text, not what was compiled from it
        content = self.form(content)
        for number, start, end in self.automaton.find_matches_as_indexes(content, True):
            for needle in self.needles[number]:
                if self.form is not as_is or _stands_alone(needle.kind, content, start, end):
                    yield needle


def _stands_alone(kind: Kind, content: bytes, start: int, end: int) -> bool:
    """Return whether what stands there is the needle, and not the part of something longer."""
    before = content[start - 1] if start else 0
    after = content[end] if end < len(content) else 0
    if kind == "number":
        # 2.7182 is not in 12.7182, nor in 2.7182.5, but at the end of a sentence
        further = content[end + 1] if after == ord(".") and end + 1 < len(content) else after
        return before not in WORD and before != ord(".") and further not in WORD
    if kind == "identifier" and end - start >= LONG:
        around = content[max(0, start - NEAR) : end + NEAR]
        if b"\0" in around:
            return True
    # a string may begin or end with a sign, beside which anything may stand
    return not (before in WORD and content[start] in WORD) and not (
        after in WORD and content[end - 1] in WORD
    )
