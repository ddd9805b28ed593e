"""No comments, and docstrings of a few words."""

import ast

from bench.redteam.view import View


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
                node.body[0] = ast.Expr(ast.Constant(f"{node.name}, in short."))
        view.write(path, ast.unparse(tree) + "\n")
