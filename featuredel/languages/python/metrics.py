"""Which lines of a Python file are code, and how many of them branch."""

import ast
import io
import tokenize

_BRANCHES = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.match_case,
    ast.comprehension,
)  # fmt: skip
_LAYOUT = frozenset(
    {
        tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
        tokenize.ENCODING, tokenize.ENDMARKER,
    }
)  # fmt: skip
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_lines(source: bytes) -> frozenset[int]:
    """Return the lines that are neither blank, nor only a comment, nor part of a docstring.

    A file that does not parse has none.
    """
    try:
        tree = ast.parse(source)
        tokens = list(tokenize.tokenize(io.BytesIO(source).readline))
    except (SyntaxError, ValueError, RecursionError, tokenize.TokenError):
        return frozenset()
    lines: set[int] = set()
    for token in tokens:
        if token.type not in _LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            lines.difference_update(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return frozenset(lines)


def branches(source: bytes, lines: frozenset[int]) -> int:
    """Return how many branches start on `lines`: conditions, loops, handlers, cases, operands."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return 0
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp):
            count += (len(node.values) - 1) * (node.lineno in lines)
        elif isinstance(node, _BRANCHES):
            place = node if hasattr(node, "lineno") else getattr(node, "pattern", None)
            place = place or getattr(node, "target", None)
            count += place is not None and place.lineno in lines
    return count
