"""The completeness check from the other side: gold code whose untold words were changed.

Whatever a statement and the remaining tree do not tell, a solver is free to choose. So the names
that gold defines and nobody tells are renamed, its untold messages are changed, and F2P must still
pass; where they do not, the word that they hang on has to be told.
"""

import ast
import io
import tokenize
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from featuredel.languages.python.gold import Function
from featuredel.languages.python.needs import remaining_text, removed_lines
from featuredel.languages.python.vocabulary import identifiers, pieces_of
from featuredel.model import Deletion

_SUFFIX = "_fd"


def untold_words(root: Path, deletion: Deletion, statement: str) -> tuple[str, ...]:
    """Return the names and message texts of gold that nothing tells, sorted."""
    known = identifiers(statement) | identifiers(remaining_text(root, deletion))
    told = statement + "\0" + remaining_text(root, deletion)
    words: set[str] = set()
    for path, lines in removed_lines(root, deletion).items():
        if path.endswith(".py"):
            tree = ast.parse((root / path).read_bytes())
            words |= {n for n in _defined(tree, lines) if n not in known and not _special(n)}
            words |= {m for m in _messages(tree, lines) if m not in told}
    return tuple(sorted(words))


def perturbed(root: Path, deletion: Deletion, words: Collection[str]) -> Mapping[str, bytes]:
    """Return the gold files in which `words`, names and texts, are others; all of them at once."""
    names = frozenset(word for word in words if word.isidentifier())
    texts = frozenset(words) - names
    changed: dict[str, bytes] = {}
    for path in removed_lines(root, deletion):
        if path.endswith(".py"):
            source = (root / path).read_bytes()
            replaced = _replaced(source, names, texts)
            if replaced != source and _parses(replaced):
                changed[path] = replaced
    return changed


def _defined(tree: ast.AST, lines: Collection[int]) -> Iterator[str]:
    """Yield what gold defines for others: definitions, parameters, attributes, class members."""
    for node in ast.walk(tree):
        if getattr(node, "lineno", 0) not in lines:
            continue
        if isinstance(node, Function | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _messages(tree: ast.AST, lines: Collection[int]) -> Iterator[str]:
    """Yield the constant parts of what gold raises and warns."""
    for node in ast.walk(tree):
        raised = isinstance(node, ast.Raise) or (
            isinstance(node, ast.Call) and ast.unparse(node.func).endswith("warn")
        )
        if raised and getattr(node, "lineno", 0) in lines:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    yield from (piece for piece in pieces_of(inner.value) if " " in piece)


def _special(name: str) -> bool:
    return (name.startswith("__") and name.endswith("__")) or name in ("self", "cls")


def _replaced(source: bytes, names: Collection[str], texts: Collection[str]) -> bytes:
    """Change name tokens and the insides of string tokens; all else stays where it is."""
    try:
        tokens = list(tokenize.tokenize(io.BytesIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return source
    encoding = tokens[0].string
    lines = source.decode(encoding).splitlines(keepends=True)
    for token in reversed(tokens[1:]):
        if token.type == tokenize.NAME and token.string in names:
            row, column = token.end
            line = lines[row - 1]
            lines[row - 1] = line[:column] + _SUFFIX + line[column:]
    text = "".join(lines)
    for message in sorted(texts, key=len, reverse=True):
        text = text.replace(message, message.swapcase())
    return text.encode(encoding)


def _parses(source: bytes) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True
