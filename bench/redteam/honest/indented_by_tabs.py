"""Indented by tabs instead of spaces."""

import ast

from bench.redteam.view import View


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        lines = ast.unparse(ast.parse(source)).splitlines(keepends=True)
        texts = _inside_of_texts("".join(lines))
        view.write(
            path, "".join(_tabbed(t) if n not in texts else t for n, t in enumerate(lines, 1))
        )


def _tabbed(line: str) -> str:
    plain = line.lstrip(" ")
    return "\t" * ((len(line) - len(plain)) // 4) + plain


def _inside_of_texts(source: str) -> set[int]:
    """Return the lines that begin within a string."""
    return {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant | ast.JoinedStr)
        for line in range(node.lineno + 1, (node.end_lineno or 0) + 1)
    }
