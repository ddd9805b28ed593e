"""What a document may call a dead definition, and what it may call one that stays."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from featuredel.languages.python.layout import stem
from featuredel.model import Definition, DefinitionId, Index

Parts = tuple[str, ...]
_ROLE = re.compile(r":[\w:]+:`(?:[^`<]*<)?[~!.]*([\w.]+)(?:\(\))?>?`")
_LINK = re.compile(r"`([\w.]+)(?:\(\))?\s*<[^`>]*>`__?|\[`([\w.]+)(?:\(\))?`\]")
_CODE = re.compile(r"(?<![\w:`])(``?)[~.]*([\w.]+)(?:\([^`)]*\))?\1(?![\w`])")


class DocNames:
    """Tells dotted names in prose apart: dead, retained, or neither."""

    def __init__(self, index: Index, dead: Collection[DefinitionId]) -> None:
        self.dead: dict[str, set[tuple[Parts, Parts]]] = defaultdict(set)
        self.kept: dict[str, set[Parts]] = defaultdict(set)
        for definition in index.definitions.values():
            if definition.path in index.test_paths or _local(index.definitions, definition):
                continue
            module = tuple(stem(definition.path).split("/"))
            name = tuple(definition.qualname.split(".")) if definition.qualname else ()
            if definition.id in dead:
                self.dead[(*module, *name)[-1]].add((module, name))
            elif not definition.path.endswith(".pyi"):  # a stub tells of the same thing again
                self.kept[(*module, *name)[-1]].add((*module, *name))

    def is_dead(self, token: str, around: str = "") -> bool:
        """Tell whether `token` can only mean something dead; `around` is the class it stands in."""
        parts = tuple(part for part in token.split(".") if part)
        if not parts:
            return False
        if around and len(parts) == 1:
            parts = (around, *parts)
        if not any(_means(parts, module, name) for module, name in self.dead.get(parts[-1], ())):
            return False
        return not any(_ends(full, parts) for full in self.kept.get(parts[-1], ()))

    def is_kept(self, token: str) -> bool:
        """Tell whether `token` may mean something that stays."""
        parts = tuple(part for part in token.split(".") if part)
        return bool(parts) and any(_ends(full, parts) for full in self.kept.get(parts[-1], ()))

    def may_mention(self, text: str) -> bool:
        """Tell whether any dead name stands in `text` at all."""
        return any(name in text for name in self.dead)


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
