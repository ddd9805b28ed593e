"""Helpers without state are wrapped in a cache that falls back where arguments cannot be kept."""

import ast

from bench.redteam.skeleton import begin_with
from bench.redteam.view import View

CACHE = '''
def _kept(function):
    """Keep results by arguments that are plain and immutable."""
    import functools
    held = functools.lru_cache(maxsize=None, typed=True)(function)
    plain = (int, str, bytes, bool)

    @functools.wraps(function)
    def either(*args, **options):
        if all(type(a) in plain for a in (*args, *options.values())):
            result = held(*args, **options)
            if type(result) in plain:
                return result
        return function(*args, **options)

    return either
'''


def reshape(view: View) -> None:
    for path, source in view.sources.items():
        tree = ast.parse(source)
        names = view.asked(path)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in names:
                node.decorator_list.append(ast.Name("_kept", ast.Load()))
        begin_with(tree, CACHE)
        view.write(path, ast.unparse(ast.fix_missing_locations(tree)) + "\n")
