"""The source stands in a string, and exec makes the functions of it, as namedtuple does."""

import ast

from bench.redteam.forms import rewrite
from bench.redteam.view import View


def reshape(view: View) -> None:
    def generate(path: str, module: ast.Module) -> int:
        names = view.asked(path)
        asked = [getattr(node, "name", "") in names for node in module.body]
        nodes = zip(module.body, asked, strict=True)
        module.body = [_template(node) if is_asked else node for node, is_asked in nodes]
        return sum(asked)

    rewrite(view, generate, "only parts of classes are asked for")


def _template(node: ast.stmt) -> ast.stmt:
    return ast.parse(f"exec({ast.unparse(node)!r}, globals())").body[0]
