"""Reading words of bash: quotes, variables and substitutions, as far as their text tells."""

import codecs
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from tree_sitter import Node

DEPTH = 50
"""Of words within words; nobody writes deeper than this, and reading calls itself."""

_BRACES = re.compile(r"\{([^{}\s$\"']*,[^{}\s$\"']*)\}")
_MAY_RUN = frozenset({"command_substitution", "string", "concatenation"})
_HOLDS = frozenset(
    {
        "test_command", "unary_expression", "binary_expression", "parenthesized_expression",
        "array",
    }
)  # fmt: skip

Run = Callable[[Sequence[Node]], str | None]
"""Reads the statements of a substitution, and returns what they print if that can be told."""


class Words:
    """Words of one text, by the variables that are known when they are read."""

    def __init__(self, source: bytes, variables: Mapping[str, str], run: Run) -> None:
        self._source = source
        self._variables = variables
        self._run = run
        self._depth = 0

    def text(self, node: Node | None) -> str:
        """Return a node as it is written, "" for none."""
        if node is None:
            return ""
        return self._source[node.start_byte : node.end_byte].decode(errors="replace")

    def joined(self, nodes: Sequence[Node]) -> str:
        """Return words that stand together as one."""
        return "".join(self.word(node) for node in nodes)

    def word(self, node: Node) -> str:
        """Return what a word comes to, unknown parts as they are written."""
        raw = self.text(node)
        if self._depth >= DEPTH:
            return raw
        self._depth += 1
        said = self._word(node, raw)
        self._depth -= 1
        return said

    def split(self, node: Node) -> Iterator[str]:
        """Yield the words that an unquoted expansion becomes; anything else is one word."""
        word, kind = self.word(node), node.type
        if kind in ("command_substitution", "simple_expansion", "expansion") and "$" not in word:
            yield from word.split()
        elif kind in ("word", "concatenation") and (braces := _BRACES.search(word)):
            for part in braces[1].split(","):
                yield word[: braces.start()] + part + word[braces.end() :]
        else:
            yield word

    def _word(self, node: Node, raw: str) -> str:
        kind = node.type
        if kind == "word":
            return _unescaped(raw)
        if kind == "raw_string":
            return raw[1:-1]
        if kind == "ansi_c_string":
            return codecs.decode(raw[2:-1].encode("latin-1", "ignore"), "unicode_escape", "replace")
        if kind in ("string", "translated_string"):
            return self.gapped(node, strip='$"')
        if kind in ("concatenation", "command_name"):
            return self.joined(node.named_children) or raw
        if kind in ("simple_expansion", "expansion"):
            space = raw[: len(raw) - len(raw.lstrip())]  # the grammar counts it in, within strings
            return space + self._expanded(node, raw.lstrip())
        if kind in ("command_substitution", "process_substitution"):
            output = self._run(node.named_children)
            return raw if output is None or kind == "process_substitution" else output
        within = node.named_children[::-1]
        while within:
            child = within.pop()
            if child.type in _HOLDS:
                within.extend(reversed(child.named_children))
            elif child.type in _MAY_RUN:
                self.word(child)
        return raw

    def gapped(self, node: Node, strip: str = "") -> str:
        """Return the text of a node with its expansions made, and all between them kept."""
        parts: list[str] = []
        at = node.start_byte
        for child in node.named_children:
            parts.append(self._source[at : child.start_byte].decode(errors="replace"))
            literal = child.type in ("string_content", "heredoc_content")
            parts.append(self.text(child) if literal else self.word(child))
            at = child.end_byte
        parts.append(self._source[at : node.end_byte].decode(errors="replace"))
        text = "".join(parts)
        if strip:
            text = text.removeprefix("$").removeprefix('"').removesuffix('"')
            for sign in '"$`\\':
                text = text.replace(f"\\{sign}", sign)
            text = text.replace("\\\n", "")
        return text

    def _expanded(self, node: Node, raw: str) -> str:
        names = [c for c in node.named_children if c.type == "variable_name"]
        if not names:
            return raw
        name = self.text(names[0])
        if name in self._variables:
            return self._variables[name]
        if ":-" in raw or ":=" in raw:
            return self.joined(node.named_children[1:])
        return raw


def _unescaped(word: str) -> str:
    if "\\" not in word:
        return word
    out: list[str] = []
    signs = iter(word)
    for sign in signs:
        if sign == "\\":
            following = next(signs, "")
            out.append("" if following == "\n" else following)
        else:
            out.append(sign)
    return "".join(out)
