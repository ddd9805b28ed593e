"""Every function of the feature is wrapped by a decorator that logs how often it is called."""

import ast

from bench.redteam.view import View

LOGGED = '''
def _logged(function):
    """Say what is called, and what was raised."""
    import functools, logging
    log = logging.getLogger(function.__module__)

    @functools.wraps(function)
    def called(*args, **options):
        log.debug("%s is called", function.__qualname__)
        try:
            return function(*args, **options)
        except Exception:
            log.debug("%s raised", function.__qualname__)
            raise

    return called
'''


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        tree = ast.parse(source)
        names = {d.partition("::")[2] for d in view.definitions if d.startswith(f"{path}::")}
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in names:
                node.decorator_list.append(ast.Name("_logged", ast.Load()))
        at = next((i for i, n in enumerate(tree.body) if not _comes_first(n)), 0)
        tree.body[at:at] = ast.parse(LOGGED).body
        view.write(path, ast.unparse(ast.fix_missing_locations(tree)) + "\n")


def _comes_first(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) or (
        isinstance(node, ast.ImportFrom) and node.module == "__future__"
    )
