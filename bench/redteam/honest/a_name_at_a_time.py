"""The module's names are filled in by a loop over a table, not by statements alone."""

import ast

from bench.redteam.forms import rewrite
from bench.redteam.view import View


def reshape(view: View) -> None:
    def fill(path: str, module: ast.Module) -> int:
        names = [name for n in module.body if (name := getattr(n, "name", "")) in view.asked(path)]
        table = ", ".join(f"{name!r}: {name}" for name in names)
        loop = f"for _name, _value in {{{table}}}.items(): globals()[_name] = _value"
        module.body += ast.parse(loop).body
        return len(names)

    rewrite(view, fill, "only parts of classes are asked for")
