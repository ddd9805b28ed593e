"""Every function of the feature is wrapped by a decorator that logs how often it is called."""

import ast

from bench.redteam.skeleton import begin_with
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
        names = view.asked(path)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in names:
                node.decorator_list.append(ast.Name("_logged", ast.Load()))
        begin_with(tree, LOGGED)
        view.write(path, ast.unparse(ast.fix_missing_locations(tree)) + "\n")
