"""The module's names are filled in by a loop over a table, not by statements alone."""

import ast

from bench.redteam.forms import functions_asked, rewrite
from bench.redteam.view import View


def reshape(view: View) -> None:
    def fill(path: str, module: ast.Module) -> int:
        names = [function.name for function in functions_asked(view, path, module)]
        table = ", ".join(f"{name!r}: {name}" for name in names)
        loop = f"for _name, _value in {{{table}}}.items(): globals()[_name] = _value"
        module.body += ast.parse(loop).body
        return len(names)

    rewrite(view, fill, "there is no function in it")
