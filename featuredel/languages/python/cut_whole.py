"""Functions and classes that go whole: one line plays each, so that libcst need not read them."""

import ast
from collections.abc import Collection, Iterator

from featuredel.languages.python.cut_windows import split_lines
from featuredel.languages.python.cuts import Place


def collapsed(
    text: str, tree: ast.Module, places: Collection[Place]
) -> tuple[str, dict[int, int | None]]:
    """Return `text` with one line for each definition that begins at one of `places`.

    And for each line of `text` where it is now: None for one that is no more. Places count bytes,
    as in ast; comments that libcst takes for the end of a definition go with it.
    """
    lines = split_lines(text)
    where: dict[int, int | None] = {}
    kept: list[str] = []
    last = 0
    for node in _whole(tree.body, frozenset(places)):
        first = min(d.lineno for d in (node, *node.decorator_list))
        indent = lines[node.lineno - 1][: _indent(lines[node.lineno - 1])]
        kept += lines[last : first - 1]
        where |= {line: len(kept) - first + 1 + line for line in range(last + 1, first)}
        last = _end(lines, node.end_lineno or first, len(indent))
        where |= dict.fromkeys(range(first, last + 1))
        kept.append(f"{indent}class _: pass{_ending(lines[last - 1])}")
        where[node.lineno] = len(kept)
    kept += lines[last:]
    where |= {line: len(kept) - len(lines) + line for line in range(last + 1, len(lines) + 2)}
    return "".join(kept), where


def _whole(
    body: Collection[ast.stmt], places: frozenset[Place]
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Yield the definitions to play, in order; none is inside another."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if (
                node.lineno,
                node.col_offset,
            ) in places:
                yield node
            case ast.ClassDef(body=inner):
                yield from _whole(inner, places)


def _end(lines: list[str], last: int, indent: int) -> int:
    """Return the last line of what libcst takes for a definition that ast ends at `last`."""
    end = last
    for number in range(last, len(lines)):
        line = lines[number]
        if line.lstrip().startswith("#") and _indent(line) > indent:
            end = number + 1
        elif line.strip():
            break
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t\f"))


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
