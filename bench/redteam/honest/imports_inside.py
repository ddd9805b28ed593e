"""The modules that a source imports are imported again where they are used."""

import ast

from bench.redteam.forms import functions, rewrite
from bench.redteam.view import View


def reshape(view: View) -> None:
    rewrite(view, _import_again, "no function uses a module by its name")


def _import_again(_path: str, module: ast.Module) -> int:
    imports = [
        node for node in module.body
        if isinstance(node, ast.Import) and all("." not in a.name for a in node.names)
    ]  # fmt: skip
    added = 0
    for _name, node in functions(module):
        told = ast.get_docstring(node) is not None
        used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        own = [i for i in imports if {(a.asname or a.name) for a in i.names} <= used]
        node.body[int(told) : int(told)] = own
        added += len(own)
    return added
