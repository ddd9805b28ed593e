"""What several honest forms do: the sources of a feature are written again from their syntax."""

import ast
from collections.abc import Callable, Iterator
from itertools import accumulate

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
    """Change each function and method of the feature; the code `prelude` comes first."""

    def changed(path: str, module: ast.Module) -> int:
        asked = functions_asked(view, path, module)
        for function in asked:
            change(function)
        begin_with(module, prelude)
        return len(asked)

    rewrite(view, changed, "there is no function in it")


def decorate(view: View, decorator: str, prelude: str) -> None:
    """Put a decorator that `prelude` defines next to each function of the feature."""
    rewrite_functions(
        view, lambda node: node.decorator_list.append(ast.Name(decorator, ast.Load())), prelude
    )


def functions(module: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions and methods of a module by qualified name; not those within others."""
    todo: list[tuple[str, ast.stmt]] = [("", node) for node in module.body]
    for outer, node in todo:
        if isinstance(node, ast.FunctionDef):
            yield f"{outer}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            todo += [(f"{outer}{node.name}.", inner) for inner in node.body]


def functions_asked(view: View, path: str, module: ast.Module) -> list[ast.FunctionDef]:
    """Return those that the statement asks for, by themselves or with their class."""
    names = view.asked(path)
    return [
        function
        for name, function in functions(module)
        if names & set(accumulate(name.split("."), "{}.{}".format))
    ]
