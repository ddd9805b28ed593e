"""Literals, and whether one reads like the input of a test rather than a word of the domain."""

import ast
import itertools
import re
from collections.abc import Sequence

_NAME = re.compile(
    r"[^\w\s\x00-\x1f]{0,2}[A-Za-z_]+\d*(?:[-_.+/:]{1,2}[A-Za-z_]+\d*|[-_.]\d+)*|<\w+>"
)
_HOSTS = frozenset({"0.0.0.0", "127.0.0.1", "255.255.255.255", "::1"})  # noqa: S104
_VERSION = re.compile(r"(?:\w+/|v)?\d{1,4}(?:\.\d{1,2})?")
PRECISE = 6
"""Signs of a number that was measured or computed."""
CODE = 12
"""Signs of a number of an account, a serial number and the like, half of them digits."""
LONG_WORD = 16
"""Characters of one word, without signs in it, that no domain has for a name."""


_WORKS = frozenset(name for kind in (str, bytes, dict, list, set) for name in dir(kind)) - {
    "replace"
}
"""Methods of texts and collections."""


def literal(node: ast.AST | None) -> bool:
    """Tell whether an expression is written-down data."""
    if isinstance(node, ast.Constant):
        return node.value is not None
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(literal(e) for e in node.elts)
    if isinstance(node, ast.Dict):
        return all(literal(v) for v in node.values)
    return isinstance(node, ast.UnaryOp) and literal(node.operand)


def written(node: ast.AST | None) -> bool:
    """Tell whether an expression is a literal, or a call with nothing but literals."""
    if isinstance(node, ast.Call):
        given = [*node.args, *(k.value for k in node.keywords)]
        return bool(given) and all(map(literal, given))
    return literal(node)


def fixed(node: ast.AST | None) -> bool:
    """Tell whether an expression always comes to the same: a literal, or a record made of some.

    `date(2024, 2, 29)` is one, and `given.replace(year=2028)` nearly.
    """
    if literal(node):
        return True
    if isinstance(node, ast.Subscript):
        return literal(node.value) and isinstance(node.value, ast.List | ast.Tuple)
    if isinstance(node, ast.Lambda):
        return not isinstance(node.body, ast.Constant | ast.Name)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(fixed(e) for e in node.elts)
    if isinstance(node, ast.Dict):
        return all(fixed(v) for v in node.values)
    if isinstance(node, ast.Call):
        given = [*node.args, *(k.value for k in node.keywords)]
        made = makes(node) and bool(given)
        return made and all(fixed(g) for g in given)
    return False


def makes(node: ast.Call) -> bool:
    """Tell whether a call makes a record, rather than working on what it belongs to."""
    if isinstance(node.func, ast.Name):
        return True
    if not isinstance(node.func, ast.Attribute) or not isinstance(node.func.value, ast.Name):
        return False
    return node.func.attr not in _WORKS and not (node.func.attr == "replace" and node.args)


def specific(key: ast.expr) -> bool:
    """Tell whether a literal reads like an input of a test."""
    if isinstance(key, ast.Tuple | ast.List):
        numbers = [n for n in map(number, key.elts) if n is not None]
        return any(specific(e) for e in key.elts) or any(abs(n) > 3 for n in numbers)
    text = text_of(key)
    if text is None:
        return False
    sums = re.search(r"\d", text) and re.search(r"[\s(){}\[\]<>=*+,;:.|/-]", text)
    mixed = re.search(r"\d[A-Za-z]+\d", text) and len(text) > 3
    phrase = re.search(r"\w\W*\s\W*\w", text) and len(text) > 6
    signs = re.search(r"[,(){}\[\]=]", text) and re.search(r"\w", text)
    return bool(((sums or signs) and len(text) > 2) or mixed or phrase or len(text) > 20)


def like_input(node: ast.AST) -> bool:
    """Tell whether a literal reads like the input of a test rather than the name of a mode.

    It asks for less than `specific`: of such there have to be several.
    """
    if isinstance(node, ast.Tuple | ast.List):
        return len(node.elts) > 1
    text = text_of(node)
    if text is not None:
        sums = re.search(r"\d", text) and re.search(r"[(){}\[\]<>=*+,;|/-]", text)
        spaced = re.search(r"[\s\d(){}\[\]<>=*+,;|]", text) and len(text) > 3
        return not wordy(text) and (bool(sums or spaced) or len(text) > 20)
    return abs(number(node) or 0) > 3


def wordy(text: str) -> bool:
    """Tell whether text may be a name of the domain: `utf-8`, `@daily`, `text/html`, `HTTP/1.1`."""
    if _NAME.fullmatch(text):
        return len(text) <= LONG_WORD or re.search(r"[-_.+/:]", text) is not None
    signs = text.isascii() and text.isprintable() and not re.search(r"\w", text)
    return signs or text in _HOSTS or _VERSION.fullmatch(text) is not None


def tells(key: ast.expr) -> bool:
    """Tell whether a literal, once tests hold it, can hardly be there for another reason."""
    if isinstance(key, ast.Tuple | ast.List | ast.Set):
        numbers = {n for n in map(number, key.elts) if n is not None and abs(n) > 3}
        return any(tells(e) for e in key.elts) or len(numbers) > 1
    if isinstance(key, ast.Dict):
        return any(tells(e) for e in (*key.keys, *key.values) if e is not None)
    if isinstance(key, ast.Call):
        given = [*key.args, *(k.value for k in key.keywords)]
        return tells(ast.Tuple(given)) if given else False
    text = text_of(key)
    return text is not None and len(text) > 3 and not wordy(text)


def odd(key: ast.expr) -> bool:
    """Tell whether a text can hardly be of the domain, tests or no tests: `1h 30m`, `(4, 5]`.

    A few words can, names with numbers, and forms like `%d.%m.%Y`.
    """
    text = text_of(key)
    if text is not None and len(text) > CODE and re.fullmatch(r"\w+", text):
        return len(re.findall(r"\d", text)) > CODE // 2
    if text is not None and re.fullmatch(r"[A-Za-z]\w*([-.]\w+)*", text):
        return False
    if text is None or not tells(key) or re.search(r"%[-#]?[A-Za-z]|\\|^-+BEGIN|^<[!?]", text):
        return False
    sentence = len(text.split()) > 3
    return sentence or re.search(r"\d|[^\w\s'.-]", text) is not None


def precise(node: ast.expr) -> bool:
    """Tell whether a literal is a number, or text of one, that nobody knows by heart."""
    if isinstance(node, ast.Subscript):
        return precise(node.value)
    if isinstance(node, ast.List | ast.Tuple):
        return bool(node.elts) and all(map(precise, node.elts))
    text = text_of(node)
    if text is None:
        found = number(node)
        text = "" if found is None else repr(found)
    return re.fullmatch(r"-?\d*\.\d+(e-?\d+)?", text) is not None and len(text) > PRECISE


def text_of(node: ast.AST | None) -> str | None:
    """Return text or bytes of a constant as text."""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else None


def number(node: ast.AST) -> float | None:
    """Return the number that a literal is, None for truth values and all else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else 1e300


def scattered(keys: Sequence[ast.expr], least: int = 3) -> bool:
    """Tell whether numbers are no progression: 5, 12, 37 rather than 1, 2, 3 or 8, 16, 32."""
    numbers = sorted({n for n in map(number, keys) if n is not None})
    if len(numbers) < least:
        return False
    steps = {round(b - a, 9) for a, b in itertools.pairwise(numbers)}
    ratios = {round(b / a, 6) for a, b in itertools.pairwise(numbers) if a}
    progress = len(numbers) > 2 and (len(steps) == 1 or len(ratios) == 1)
    whole = all(n == int(n) for n in numbers if abs(n) < 1e15)
    dense = whole and numbers[-1] - numbers[0] < 1.5 * len(numbers)
    return not progress and not dense and numbers[0] >= 0
