"""The modules of the standard library are imported again where they are used."""

import ast

from bench.redteam.view import View


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        tree = ast.parse(source)
        imports = [
            node for node in tree.body
            if isinstance(node, ast.Import) and all("." not in a.name for a in node.names)
        ]  # fmt: skip
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                told = ast.get_docstring(node) is not None
                used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                own = [i for i in imports if {(a.asname or a.name) for a in i.names} <= used]
                node.body[int(told) : int(told)] = own
        view.write(path, ast.unparse(tree) + "\n")
