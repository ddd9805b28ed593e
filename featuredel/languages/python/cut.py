"""Cut pieces out of a source file, byte for byte the same elsewhere.

`ast` decides what goes (see `planner.py`), in its own coordinates; libcst takes it out here, in one
pass. `prune.py` does the same to an `ast` tree, and tests hold the two against each other.
"""

import ast
import io
import tokenize
from collections.abc import Collection, Mapping
from dataclasses import replace

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from featuredel.languages.python.cut_parts import Parts
from featuredel.languages.python.cut_statements import Statements
from featuredel.languages.python.cut_whole import collapsed
from featuredel.languages.python.cut_windows import edited, split_lines
from featuredel.languages.python.cuts import Cut, Place
from featuredel.languages.python.source import parse


def apply(source: bytes, cuts: Collection[Cut], tree: ast.Module | None = None) -> bytes:
    """Return `source` without the pieces. `tree` is the source's, if it has been parsed.

    Raises `ValueError` or `libcst.ParserSyntaxError` if it does not parse.
    """
    if not cuts:
        return source
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    text = source.decode(encoding)
    whole = {cut.place for cut in cuts if cut.action == "statement"}
    text, where = collapsed(text, tree or _tree(source), whole)
    left = [moved for cut in cuts if (moved := _moved(cut, where)) is not None]

    def edit(window: str, shift: int) -> str:
        moved = [
            replace(cut, line=cut.line - shift, end=(cut.end[0] - shift, cut.end[1]))
            for cut in left
        ]
        return _apply(window, moved)

    tree = _tree(text.encode(encoding))
    return edited(text, tree, (cut.line for cut in left), edit).encode(encoding)


def _tree(source: bytes) -> ast.Module:
    tree = parse(source)
    if tree is None:
        raise ValueError("the source does not parse")
    return tree


def _moved(cut: Cut, where: Mapping[int, int | None]) -> Cut | None:
    """Return a cut where its line is now, or None if that went with something whole."""
    line, last = where.get(cut.line), where.get(cut.end[0])
    if line is None:
        return None
    return replace(cut, line=line, end=(last or 0, cut.end[1]))


def _apply(code: str, cuts: Collection[Cut]) -> str:
    wrapper = MetadataWrapper(cst.parse_module(code), unsafe_skip_copy=True)
    columns = _Columns(code)
    positions = wrapper.resolve(PositionProvider)
    cutter = _Cutter(positions, [columns.in_characters(cut) for cut in cuts])
    edited_module = wrapper.module.visit(cutter)
    assert isinstance(edited_module, cst.Module)
    return edited_module.code


class _Columns:
    """Turns columns in bytes into columns in characters."""

    def __init__(self, code: str) -> None:
        self.lines = split_lines(code)

    def _characters(self, place: Place) -> Place:
        line, column = place
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        if text.isascii():
            return place
        return (line, len(text.encode()[:column].decode(errors="replace")))

    def in_characters(self, cut: Cut) -> Cut:
        line, column = self._characters(cut.place)
        return Cut(cut.path, line, column, cut.action, self._characters(cut.end), cut.text)


class _Cutter(Statements, Parts):
    """Takes all of it out."""
