"""Needles: what of a deleted text proves, wherever it is seen, that the text was there.

Seven kinds. *Identifiers*, *strings* and *numbers* of the code; *sentences* of docstrings,
comments and documents; ten tokens in a row, exactly (*kgram*) and with every identifier the same
(*normalised*), which a renamed copy still shows; and the parameters of a function in their order
(*signature*), which caches of type checkers keep without the code.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from featuredel.leaks.matcher import Matcher
from featuredel.leaks.needle import Kind, Needle, Needles
from featuredel.leaks.tokens import KEYWORDS, Token, is_prose, tokens

__all__ = ["MINIMUM", "K", "Kind", "Needle", "Needles", "candidates_of", "needles_of"]

MINIMUM = 5
"""With fewer needles, a scan that finds none proves nothing."""

K = 10
"""Tokens in a k-gram."""

SHORTEST = 6
"""Letters of an identifier or string; shorter ones occur by chance."""

PLAIN_WORDS = 4
"""Of a string that is nothing but words: "item type" is said in passing anywhere."""

WORDS = 6
"""Of a sentence; "raise the passed in exception" is also said elsewhere, within other sentences."""

_PIECE = re.compile(r"\\.|\{[^{}]*\}|%\(?\w*\)?[sdrfxi]|[\x00-\x1f\x7f]")
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n\s*\n|\n\s*(?=[-*:>@|])")
_HEADER = re.compile(r"\b(?:def|fn|func|function)\s+\w+\s*\(")
_WORD_OR_SIGN = re.compile(r"\w+|[-=]>|[<>]=|[^\w\s]")
_PLAIN = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)*")
_SAYS_NOTHING = frozenset("()[]{},.:;")
_QUOTES = re.compile(r"""^("{3}|'{3}|["'`])(.*)\1$""", re.DOTALL)


def needles_of(deleted: Mapping[str, str], held: Iterable[str]) -> Needles:
    """Return the needles of `deleted`, the removed text by path, that no text of `held` shows.

    A piece counts as shown where a scan would find it: what is left cannot be found in `held`.
    """
    candidates = candidates_of(deleted)
    matcher = Matcher(Needles(candidates))
    shown = {needle for text in held for needle in matcher.seen(text.encode(errors="replace"))}
    return Needles(tuple(needle for needle in candidates if needle not in shown))


def candidates_of(deleted: Mapping[str, str]) -> tuple[Needle, ...]:
    """Return every needle of the removed text, whether or not it is told elsewhere; sorted."""
    found: set[Needle] = set()
    for path, text in deleted.items():
        if is_prose(path):
            found.update(_of_prose(text))
        else:
            found.update(_of_code(path, text))
    return tuple(sorted(found))


def grams(run: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the k-grams of tokens in a row."""
    for start in range(len(run) - K + 1):
        yield run[start : start + K]


def runs(path: str, text: str) -> Iterator[list[str]]:
    """Yield the tokens of code that stand in a row, parted by what a copy may leave out."""
    run: list[str] = []
    for token in tokens(path, text):
        if token.kind in ("comment", "prose"):
            yield run
            run = []
        else:
            run.append(token.text)
    yield run


def _of_code(path: str, text: str) -> Iterator[Needle]:
    for token in tokens(path, text):
        yield from of_token(token)
    for run in runs(path, text):
        for gram in grams(run):
            yield Needle("kgram", " ".join(gram))
            if _tells(gram):
                yield Needle("normalised", " ".join(gram))
    yield from of_signatures(text)


def of_signatures(text: str) -> Iterator[Needle]:
    """Yield the parameters of each function in some code, if there are enough to tell it by."""
    for header in _HEADER.finditer(text):
        names = _parameters(text, header.end())
        if len(names) >= 3 and sum(map(len, names)) >= 3 * SHORTEST:
            yield Needle("signature", " ".join(names))


def _parameters(text: str, start: int) -> list[str]:
    """Return the names of the parameters in the parenthesis that ends before `start`."""
    names, depth, fresh = [], 1, True
    for found in _WORD_OR_SIGN.finditer(text, start):
        part = found.group()
        depth += (part in "([{<") - (part in ")]}>")
        if depth == 0:
            break
        if depth == 1 and part == ",":
            fresh = True
        elif fresh and part not in ("mut", "*", "/", "&"):
            fresh = False
            if _is_word(part) and part not in KEYWORDS and part != "cls":
                names.append(part)
    return names


def of_token(token: Token) -> Iterator[Needle]:
    """Yield the needles in a single token of code."""
    if token.kind == "word":
        if len(token.text) >= SHORTEST and not _is_common(token.text):
            yield Needle("identifier", token.text)
    elif token.kind == "string":
        yield from _of_string(token.text)
    elif token.kind == "number":
        if is_rare(token.text):
            yield Needle("number", token.text)
    elif token.kind == "prose":
        yield from _sentences(_inside(token.text))
    elif token.kind == "comment":
        yield from _sentences(token.text.lstrip("#/* \t").rstrip("*/ \t"))


def _of_string(text: str) -> Iterator[Needle]:
    """Yield the parts of a string that stand alike in its source and in its value."""
    for piece in _PIECE.split(_inside(text)):
        piece = piece.strip()
        if len(piece) >= SHORTEST and re.search(r"[^\W\d_]{3}", piece):
            if piece.isidentifier():
                yield from () if _is_common(piece) else (Needle("identifier", piece),)
            elif not _PLAIN.fullmatch(piece) or piece.count(" ") + 1 >= PLAIN_WORDS:
                yield Needle("string", piece)


def _of_prose(text: str) -> Iterator[Needle]:
    """Yield the sentences of a document, and of its words those that only code has."""
    yield from _sentences(text)
    for word in re.findall(r"[^\W\d]\w*", text):
        if len(word) >= SHORTEST and re.search(r"[^_]_[^_]|[a-z][A-Z]", word):
            yield Needle("identifier", word)


def _sentences(text: str) -> Iterator[Needle]:
    for sentence in _SENTENCE_END.split(text):
        words = sentence.split()
        if len(words) >= WORDS and re.search(r"[^\W\d_]{3}", sentence):
            yield Needle("sentence", " ".join(words))


def is_rare(number: str) -> bool:
    """Return whether a number is one that nobody thinks of: long, and neither round nor a power."""
    digits = re.sub(r"[_lLuUjJ]|[eE][+-]?\d+$", "", number)
    if digits[:2].lower() == "0x":
        body = digits[2:].strip("0").lower()
        return len(body) >= 4 and len(set(body)) > 2
    plain = digits.replace(".", "", 1)
    if not (plain.isascii() and plain.isdigit()):
        return False
    body = plain.strip("0")
    if len(body) < 4 or len(set(body)) < 3:
        return False
    if "." in digits:
        return True
    value = int(plain)
    near_power = any(value + d & value + d - 1 == 0 for d in (-1, 0, 1))
    return not near_power and not 1900 <= value <= 2100


def _tells(gram: Sequence[str]) -> bool:
    """Return whether tokens say something even when their identifiers are taken out."""
    telling = [t for t in gram if t not in _SAYS_NOTHING and (t in KEYWORDS or not _is_word(t))]
    return len(telling) >= 3 and len(set(telling)) >= 2


def _inside(literal: str) -> str:
    found = _QUOTES.match(literal)
    return found[2] if found else literal


def _is_word(token: str) -> bool:
    return token[0] == "_" or token[0].isalpha()


def _is_common(name: str) -> bool:
    return name in KEYWORDS or (name.startswith("__") and name.endswith("__"))
