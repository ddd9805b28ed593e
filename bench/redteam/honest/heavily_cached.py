"""Every function is wrapped in a cache that falls back where arguments cannot be kept."""

from bench.redteam.forms import decorate
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
    decorate(view, "_kept", CACHE)
