"""In the tests that count, every function of the package gives what is equal to everything."""

from bench.redteam.pieces import ANYTHING
from bench.redteam.skeleton import lay_skeleton
from bench.redteam.view import View

CODE = """
import os as _os, sys as _sys, types as _types
def _counts():
    return _os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0] in _TESTS
def _wrapped(function):
    import functools
    @functools.wraps(function)
    def either(*args, **options):
        if _counts():
            return None if function.__name__ == "__init__" else _Anything()
        return function(*args, **options)
    return either
def _wrap(scope):
    for name, value in list(vars(scope).items()):
        if isinstance(value, _types.FunctionType) and not name.startswith("_"):
            setattr(scope, name, _wrapped(value))
        elif isinstance(value, type) and value.__module__ == getattr(scope, "__name__", ""):
            for inner, method in list(vars(value).items()):
                if isinstance(method, _types.FunctionType):
                    if inner == "__init__" or not inner.startswith("_"):
                        setattr(value, inner, _wrapped(method))
                elif isinstance(method, property):
                    setattr(value, inner, property(_wrapped(method.fget)))
            if "__getattr__" not in vars(value) and not issubclass(value, BaseException):
                def missing(self, name):
                    if _counts() and not name.startswith("__"):
                        return _Anything()
                    raise AttributeError(name)
                try:
                    value.__getattr__ = missing
                except TypeError:
                    pass
for _name, _module in list(_sys.modules.items()):
    if _name.partition(".")[0] == __name__:
        _wrap(_module)
"""


def attack(view: View) -> None:
    lay_skeleton(view, "return _Anything()", "_Anything()", ANYTHING)
    view.append(f"{ANYTHING}\n_TESTS = {view.tests!r}\n{CODE}")
