"""The package has a module __getattr__ that finds names which are asked for late."""

from bench.redteam.view import Unfit, View

CODE = '''
def __getattr__(name):
    """Find a module of the package by its name."""
    import importlib

    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ImportError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
'''


def reshape(view: View) -> None:
    if "__getattr__" in view.read(view.entry):
        raise Unfit("the package has one already")
    view.append(CODE)
