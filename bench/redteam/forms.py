"""What several honest forms do: the sources of a feature are written again from their syntax."""

import ast
from collections.abc import Callable

from bench.redteam.skeleton import begin_with
from bench.redteam.view import Unfit, View


def rewrite(view: View, change: Callable[[str, ast.Module], int], missing: str) -> None:
    """Write each source again, as `change(path, module)` leaves it, which says how often it could.

    Raises `Unfit`, for what is `missing`, if it never could: a form that changes nothing is none.
    """
    changed = 0
    for path, source in view.sources.items():
        module = ast.parse(source)
        changed += change(path, module)
        view.write(path, ast.unparse(ast.fix_missing_locations(module)) + "\n")
    if not changed:
        raise Unfit(missing)


def rewrite_functions(
    view: View, change: Callable[[ast.FunctionDef], None], prelude: str = ""
) -> None:
    """Change each function of the feature that is no method; the code `prelude` comes first."""

    def changed(path: str, module: ast.Module) -> int:
        functions = functions_asked(view, path, module)
        for function in functions:
            change(function)
        begin_with(module, prelude)
        return len(functions)

    rewrite(view, changed, "there is no function in it")


def decorate(view: View, decorator: str, prelude: str) -> None:
    """Put a decorator that `prelude` defines next to each function of the feature."""
    rewrite_functions(
        view, lambda node: node.decorator_list.append(ast.Name(decorator, ast.Load())), prelude
    )


def functions_asked(view: View, path: str, module: ast.Module) -> list[ast.FunctionDef]:
    """Return the functions of a module, methods aside, that the statement asks for."""
    names = view.asked(path)
    return [n for n in module.body if isinstance(n, ast.FunctionDef) and n.name in names]
