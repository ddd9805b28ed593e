"""The package's own namespace is filled by a loop over a table, not by statements."""

import ast

from bench.redteam.view import View


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        tree = ast.parse(source)
        names = [
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and f"{path}::{node.name}" in view.definitions
        ]
        table = ", ".join(f"{name!r}: {name}" for name in names)
        loop = f"for _name, _value in {{{table}}}.items():\n    globals()[_name] = _value\n"
        view.write(path, f"{source}\n\n{loop}")
