"""What a document may call a dead definition, and what it may call one that stays."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from featuredel.languages.python.layout import stem
from featuredel.model import Definition, DefinitionId, Index

Parts = tuple[str, ...]
_WORD = re.compile(r"\w+")
_ROLE = re.compile(r":[\w:]+:`(?:[^`<]*<)?[~!.]*([\w.]+)(?:\(\))?>?`")
_LINK = re.compile(r"`([\w.]+)(?:\(\))?\s*<[^`>]*>`__?|\[`([\w.]+)(?:\(\))?`\]")
_CODE = re.compile(r"(?<![\w:`])(``?)[~.]*([\w.]+)(?:\([^`)]*\))?\1(?![\w`])")


@dataclass(frozen=True, slots=True)
class Spelled:
    """A definition as prose may spell it."""

    id: DefinitionId
    module: Parts
    name: Parts  # () for a module
    again: bool  # a stub tells of the same thing again

    @property
    def last(self) -> str:
        """The part of its name that every mention ends in."""
        return (*self.module, *self.name)[-1]


class Spelling:
    """What documents may speak of: everything that the source defines."""

    def __init__(self, index: Index) -> None:
        self.of: dict[DefinitionId, Spelled] = {}
        self.by_last: dict[str, list[Spelled]] = defaultdict(list)
        for definition in index.definitions.values():
            if definition.path in index.test_paths or _local(index.definitions, definition):
                continue
            module = tuple(stem(definition.path).split("/"))
            name = tuple(definition.qualname.split(".")) if definition.qualname else ()
            spelled = Spelled(definition.id, module, name, definition.path.endswith(".pyi"))
            self.of[definition.id] = spelled
            self.by_last[spelled.last].append(spelled)


class DocNames:
    """Tells dotted names in prose apart: dead, retained, or neither."""

    def __init__(self, spelling: Spelling, dead: Collection[DefinitionId]) -> None:
        self.spelling = spelling
        self.dead: dict[str, set[tuple[Parts, Parts]]] = defaultdict(set)
        self._ids = frozenset(dead)
        for spelled in (spelling.of[d] for d in self._ids & spelling.of.keys()):
            self.dead[spelled.last].add((spelled.module, spelled.name))
        self._odd = [name for name in self.dead if not _WORD.fullmatch(name)]

    def is_dead(self, token: str, around: str = "") -> bool:
        """Tell whether `token` can only mean something dead; `around` is the class it stands in."""
        parts = tuple(part for part in token.split(".") if part)
        if not parts:
            return False
        if around and len(parts) == 1:
            parts = (around, *parts)
        if not any(_means(parts, module, name) for module, name in self.dead.get(parts[-1], ())):
            return False
        return not self._may_stay(parts)

    def is_kept(self, token: str) -> bool:
        """Tell whether `token` may mean something that stays."""
        parts = tuple(part for part in token.split(".") if part)
        return bool(parts) and self._may_stay(parts)

    def _may_stay(self, parts: Parts) -> bool:
        return any(
            _ends((*known.module, *known.name), parts)
            for known in self.spelling.by_last.get(parts[-1], ())
            if known.id not in self._ids and not known.again
        )

    def may_mean(self, words: Collection[str]) -> bool:
        """Tell whether a name that ends in one of `words` may mean something dead."""
        return bool(self._odd) or any(name in words for name in self.dead)


def last_part(token: str) -> str:
    """Return what a dotted name ends in, "" if it has no part at all."""
    return next((part for part in reversed(token.split(".")) if part), "")


def tokens(text: str) -> Iterator[str]:
    """Yield the names that a text marks as code, a role or a link."""
    for match in _ROLE.finditer(text):
        yield match[1]
    for match in _LINK.finditer(text):
        yield match[1] or match[2]
    for match in _CODE.finditer(text):
        yield match[2]


def _means(token: Parts, module: Parts, name: Parts) -> bool:
    """Tell whether a token spells a definition, from any package above its module."""
    if not name:
        return len(token) > 1 and module[-len(token) :] == token
    if len(token) < len(name) or token[-len(name) :] != name:
        return False
    rest = iter(module)
    return all(part in rest for part in token[: -len(name)])


def _ends(full: Parts, token: Parts) -> bool:
    """Tell whether a retained definition could be meant as well: the token leaves parts out."""
    rest = iter(full)
    return full[-1] == token[-1] and all(part in rest for part in token)


def _local(definitions: Mapping[DefinitionId, Definition], definition: Definition) -> bool:
    outer = definitions.get(definition.parent) if definition.parent is not None else None
    return outer is not None and outer.kind in ("function", "method")
