"""The source stands in a string, and exec makes the functions of it, as namedtuple does."""

import ast

from bench.redteam.view import View


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        tree = ast.parse(source)
        names = view.asked(path)
        tree.body = [_template(n) if getattr(n, "name", "") in names else n for n in tree.body]
        view.write(path, ast.unparse(tree) + "\n")


def _template(node: ast.stmt) -> ast.stmt:
    return ast.parse(f"exec({ast.unparse(node)!r}, globals())").body[0]
