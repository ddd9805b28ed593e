"""No comments, and docstrings of a few words."""

import ast

from bench.redteam.forms import rewrite
from bench.redteam.view import View


def reshape(view: View) -> None:
    rewrite(view, _shorten, "nothing in it has a docstring")


def _shorten(_path: str, module: ast.Module) -> int:
    shortened = 0
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body[0] = ast.Expr(ast.Constant(f"{node.name}, in short."))
            shortened += 1
    return shortened
