"""The parts of a file that libcst must see: the statements with cuts, between stand-ins.

libcst takes seventy times as long as ast to read and write a line, so it gets only the statements
that change. What stands before and after them is played by one line each, which comes out again.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_LONG_CLASS = 40
"""A class of fewer lines is seen whole."""


@dataclass(frozen=True, slots=True)
class Window:
    """Lines `first` to `last` of the file (counted from 1), and the lines put around them."""

    first: int
    last: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Unit:
    """Statements that share a line."""

    first: int
    last: int
    nodes: tuple[ast.stmt, ...]


def split_lines(text: str) -> list[str]:
    """Return the lines as ast counts them, each with its end."""
    return _LINES.findall(text)


def edited(
    text: str, tree: ast.Module, cut_lines: Iterable[int], edit: Callable[[str, int], str]
) -> str:
    """Return `text` with `edit(window, lines above it less those put before it)` in each window."""
    lines = split_lines(text)
    found = list(_windows(tree.body, lines, sorted(set(cut_lines)), ""))
    for window in reversed(found):
        inside = lines[window.first - 1 : window.last]
        shift = window.first - 1 - len(window.before)
        after = split_lines(edit("".join((*window.before, *inside, *window.after)), shift))
        kept = after[len(window.before) : len(after) - len(window.after)]
        if not kept and window.last == len(lines) and inside and not _ends(inside[-1]):
            above = lines[: window.first - 1]
            lines = [*above[:-1], above[-1].rstrip("\r\n")] if above else []
            continue
        lines[window.first - 1 : window.last] = kept
    return "".join(lines)


def _ends(line: str) -> bool:
    return line.endswith(("\n", "\r"))


def _windows(
    body: Sequence[ast.stmt], lines: list[str], cuts: list[int], header: str
) -> Iterator[Window]:
    """Yield the windows of a block, in order; `header` opens the block ("" for the module)."""
    units = list(_units(body))
    hit = [any(u.first <= line <= u.last for line in cuts) for u in units]
    at = 0
    while at < len(units):
        if not hit[at]:
            at += 1
            continue
        end = at
        while end + 1 < len(units) and hit[end + 1]:
            end += 1
        inner = _inside(units[at], lines, cuts) if at == end else None
        if inner is not None:
            yield from inner
        else:
            yield _window(units, at, end, lines, header)
        at = end + 1


def _units(body: Sequence[ast.stmt]) -> Iterator[_Unit]:
    held: _Unit | None = None
    for node in body:
        decorators = getattr(node, "decorator_list", ())
        first = min([node.lineno, *(d.lineno for d in decorators)])
        last = node.end_lineno or first
        if held is not None and first <= held.last:
            held = _Unit(held.first, max(last, held.last), (*held.nodes, node))
            continue
        if held is not None:
            yield held
        held = _Unit(first, last, (node,))
    if held is not None:
        yield held


def _inside(unit: _Unit, lines: list[str], cuts: list[int]) -> list[Window] | None:
    """Return the windows inside a long class of which only the body is cut."""
    node = unit.nodes[0]
    if len(unit.nodes) > 1 or not isinstance(node, ast.ClassDef):
        return None
    start = next(_units(node.body)).first
    if unit.last - unit.first < _LONG_CLASS or start == node.lineno:
        return None
    if any(unit.first <= line < start for line in cuts):
        return None
    return list(_windows(node.body, lines, cuts, f"class _:{_end_of(lines)}"))


def _window(units: list[_Unit], at: int, end: int, lines: list[str], header: str) -> Window:
    indent = lines[units[at].first - 1]
    indent = indent[: len(indent) - len(indent.lstrip(" \t\f"))]
    before = [header] if header else []
    after = []
    first = units[at - 1].last + 1 if at else (_below_header(units[0], lines) if header else 1)
    last = units[end].last if header else len(lines)
    if at:
        before.append(f"{indent}{_stand_in(units[at - 1])}{_end_of(lines)}")
    if end + 1 < len(units):
        last = units[end + 1].first - 1
        after.append(f"{indent}{_stand_in(units[end + 1])}{_end_of(lines)}")
    return Window(first, last, tuple(before), tuple(after))


def _stand_in(unit: _Unit) -> str:
    """Return a line that counts for as much as the statement in the choice of blank lines."""
    spaced = isinstance(unit.nodes[0], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return "class _: pass" if spaced else "_"


def _below_header(unit: _Unit, lines: list[str]) -> int:
    """Return the first line below the header of a class: comments above its first statement."""
    first = unit.first
    while not lines[first - 2].strip() or lines[first - 2].lstrip().startswith("#"):
        first -= 1
    return first


def _end_of(lines: list[str]) -> str:
    found = re.search(r"[\r\n]+\Z", lines[0]) if lines else None
    return found.group() if found else "\n"
