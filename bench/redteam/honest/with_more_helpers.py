"""Helpers and constants that nothing needs, and a new module of them."""

from bench.redteam.view import View

HELPERS = '''

def _first_of(values, default=None):
    """Return the first value, or a default."""
    return next(iter(values), default)


class _Counter(dict):
    """Counts what it is asked for."""

    def __missing__(self, key):
        self[key] = 0
        return 0
'''


def reshape(view: View) -> None:
    view.write(f"{view.package}_helpers.py", '"""Helpers."""\n' + HELPERS)
    for path, source in view.sources.items():
        view.write(path, source + HELPERS)
