"""The code of the project that a step writes, as syntax trees: edits are fragments of files."""

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from featuredel import patches
from featuredel.monitor.acts.fold import Folder
from featuredel.monitor.acts.records import Source, Touch, Use
from featuredel.monitor.acts.syntax import (
    bound_by,
    imported_by,
    source,
    tree_of,
    values_of,
)
from featuredel.monitor.places import NO_SOURCE, TESTS, is_product, is_product_write
from featuredel.monitor.rule import Seen, only
from featuredel.monitor.tested import LONGEST

_SUBSTITUTION = re.compile(
    r"s(?P<sign>[/|#,@!])(?:\\.|(?!(?P=sign)).)*(?P=sign)((?:\\.|(?!(?P=sign)).)*)(?P=sign)",
    re.DOTALL,
)
_INSERTED = re.compile(r"(?:^|[;\d/$])\s*[aic]\\?\s*(.*)", re.DOTALL)
_ED = re.compile(r"^[^\n]*[aic]\n(.*?)^\.$", re.MULTILINE | re.DOTALL)
"""Text that `ed` puts in, up to a line with a dot."""
_UNKNOWN = re.compile(r"(?<=[=(,:\[{ ])\*(?=[\s),.\]}]|$)", re.MULTILINE)
"""What a script puts into text that it writes, where that is not known."""
_SEEKS = frozenset(
    {"replace", "sub", "index", "find", "rindex", "count", "split", "partition", "startswith"}
)
_LIKE_CODE = re.compile(
    r"^\s*((return|if|elif|import|from|def|class|raise|yield|assert)\b.{6}|\w+ = .{6})"
)
_WITHIN = "    "
CUT = 2
"""Lines at the end of a piece that may be the beginning of what follows."""
_OPENINGS = (
    ("", "{}"), (_WITHIN, "if True:\n{}"), (_WITHIN, "class _:\n{}"),
    ("", "if True:\n    pass\n{}"), ("", "try:\n    pass\n{}"), (_WITHIN, "match 0:\n{}"),
    (_WITHIN, "def _():\n{}"), ("", "_ = [\n{}\n]"), ("", "_ = {{\n{}\n}}"),
    ("", "{}\n    pass"), (_WITHIN, "if True:\n{}\n        pass"),
    ("", "_ = {{\n{}"), ("", "_ = [\n{}"), ("", "_ = (\n{}"), ("", "{}\n}}"), ("", "{}\n]"),
    ("", "{}\n)"),
)  # fmt: skip
"""Indentation of a piece, and what may stand around it."""


@dataclass(frozen=True, slots=True)
class Product:
    """New code of one file."""

    path: str
    text: str
    tree: ast.Module
    whole: bool  # the file, not a piece of it
    old: str = ""  # what it replaces, where that is known


def product_code(seen: Seen) -> list[Product]:
    """Return what the step writes into the project's code, at the end what only the diff shows.

    Many rules ask for it: it is worked out once a step.
    """
    if "product" not in seen.kept:
        seen.kept["product"] = list(_product_code(seen))
    found: list[Product] = seen.kept["product"]
    return found


def _product_code(seen: Seen) -> Iterator[Product]:
    for touch in only(seen.acts, Touch):
        if is_product_write(touch, seen.session):
            for every in _texts(touch, seen):
                text = every[:LONGEST]
                whole = touch.how == "write" and touch.old is None and touch.new is not None
                yield Product(touch.path, text, fragment(text), whole, touch.old or "")
    if seen.last and seen.trajectory.submission:
        patch = seen.trajectory.submission.encode(errors="replace")
        for key, text in patches.added_text(patch).items():
            path = key.partition("/")[2]
            scratch = "/" not in path and seen.session.root_made(path)
            if is_product(path, seen.session) and not scratch and not _judged(path, seen):
                yield Product(path, text[:LONGEST], fragment(text[:LONGEST]), whole=False)


def data_written(seen: Seen) -> Iterator[tuple[str, str]]:
    """Yield path and text of the files of data that the step writes beside the code, to a bound."""
    for touch in only(seen.acts, Touch):
        inside = seen.session.inside(touch.path) or ""
        fresh = touch.how == "write" or (touch.how == "edit" and not touch.old)
        beside = "/" in inside and not (TESTS.search(inside) or NO_SOURCE.match(inside))
        if fresh and touch.new and beside and not inside.endswith(".py"):
            yield touch.path, touch.new[:LONGEST]


def _judged(path: str, seen: Seen) -> bool:
    """Tell whether a file's new text was seen before; a guessed tree may lie a folder too high."""
    return any(known == path or known.endswith(f"/{path}") for known in seen.session.judged)


def _texts(touch: Touch, seen: Seen) -> Iterator[str]:
    if touch.new is None:  # text.replace(old, new) and the like
        for use in only(seen.acts, Use):
            if use.name.endswith(("replace", "re.sub")) and len(use.arguments) > 1:
                yield use.arguments[1] or ""
        for script in only(seen.acts, Source):
            yield from _added(script.text)
    elif touch.by == "ed":
        yield from _ED.findall(touch.new)
    elif touch.by in ("sed", "gsed", "perl", "ex", "vim", "vi"):
        yield from (m[2].replace("\\n", "\n") for m in _SUBSTITUTION.finditer(touch.new))
        yield from (m[1].replace("\\n", "\n") for m in [_INSERTED.search(touch.new)] if m)
    else:
        yield touch.new


def _added(script: str) -> Iterator[str]:
    """Yield the texts of a script that read like code which it puts into a file.

    What it looks for, to put something in its place, is left out.
    """
    tree = tree_of(script) or ast.Module([], [])
    sought = [node for n in ast.walk(tree) for node in _sought(n)]
    names = {node.id for node in sought if isinstance(node, ast.Name)}
    left_out = {id(n) for node in (*sought, *values_of(names, tree)) for n in ast.walk(node)}
    lists = [n.elts for n in ast.walk(tree) if isinstance(n, ast.List | ast.Tuple)]
    for lines in (texts_of(items) for items in lists):  # put in line by line
        if len(lines) > 1 and any(map(_LIKE_CODE.search, lines)):
            yield "\n".join(line.rstrip("\n") for line in lines)
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Constant) and id(node) not in left_out else None
        text = value.decode("latin-1") if isinstance(value, bytes) else value
        if isinstance(node, ast.JoinedStr) and id(node) not in left_out:
            parts = (p.value if isinstance(p, ast.Constant) else "_unknown" for p in node.values)
            text = "".join(map(str, parts))
        if isinstance(text, str) and ("\n" in text.strip("\n") or _LIKE_CODE.search(text)):
            yield text


def texts_of(items: list[ast.expr]) -> list[str]:
    """Return items that are all texts; nothing if one is none."""
    found = [n.value for n in items if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return found if len(found) == len(items) else []


def _sought(node: ast.AST) -> list[ast.expr]:
    """Return what a call or a comparison looks for in a text."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.args[:1] if node.func.attr in _SEEKS else []
    return []


def fragment(text: str) -> ast.Module:
    """Return the tree of a piece of Python; where it stands alone for nothing, line by line."""
    if len(text) >= LONGEST:  # generated, and no place for a search among ways to read it
        return tree_of(text.rpartition("\n")[0]) or ast.Module([], [])
    body = textwrap.dedent(text.strip("\n"))
    if "*" in body and tree_of(body) is None:
        body = _UNKNOWN.sub("_unknown", body)
    if tree := tree_of(_nested(text)):
        return tree
    for indentation, around in _OPENINGS:
        tree = tree_of(around.format(textwrap.indent(body, indentation)))
        if tree is not None:
            return tree
    lines = body.splitlines()
    for cut in range(1, min(CUT, len(lines) - 1) + 1):  # an edit may end within a statement
        tree = tree_of(_nested("\n".join(lines[:-cut])))
        if tree is not None and not any(map(tree_of, map(str.strip, filter(None, lines[-cut:])))):
            return tree
    statements: list[ast.stmt] = []
    for line in lines:
        piece = line.strip()
        tree = tree_of(piece) or tree_of(f"{piece} pass") or tree_of(f"{piece}\n    pass")
        statements += tree.body if tree else []
    return ast.Module(statements, [])


def _nested(text: str) -> str:
    """Return a piece that stands deep in a file below so many openings; later parts may not."""
    lines = [line for line in text.splitlines() if line.strip()]
    depth = (len(lines[0]) - len(lines[0].lstrip())) // len(_WITHIN) if lines else 0
    return "".join(f"{_WITHIN * level}if True:\n" for level in range(depth)) + text.strip("\n")


def named(tree: ast.AST) -> tuple[Folder, list[tuple[ast.Call, str]]]:
    """Return the names that a tree imports, and its calls with their full dotted names."""
    folder = Folder()
    for node in ast.walk(tree):
        if not getattr(node, "level", 0):
            folder.dotted |= bound_by(node)
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, text = node.targets[0], folder.text(node.value)
            if isinstance(target, ast.Name) and text is not None:
                folder.texts[target.id] = text
    calls = [(n, folder.name(n.func)) for n in ast.walk(tree) if isinstance(n, ast.Call)]
    return folder, calls


def imports(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield the modules that a tree imports, by statement or by name."""
    for node in ast.walk(tree):
        if not getattr(node, "level", 0):
            yield from ((node, name) for name in imported_by(node))
    folder, calls = named(tree)
    for call, name in calls:
        if name in ("__import__", "importlib.import_module") and call.args:
            module = folder.text(call.args[0])
            if module:
                yield call, module


def shown(product: Product, node: ast.AST) -> str:
    """Return a node as evidence: its file and source."""
    return f"{product.path}: {' '.join(source(node).split())[:160]}"
