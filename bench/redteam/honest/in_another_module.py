"""All of it in new modules; the old ones take it in again."""

from bench.redteam.view import Unfit, View

COPY = """
__doc__ = _moved.__doc__
_own = {"__name__", "__file__", "__spec__", "__loader__", "__cached__", "__builtins__"}
for _name, _value in vars(_moved).items():
    if _name not in _own:
        globals()[_name] = _value
"""


def reshape(view: View) -> None:
    moving = {p: source for p, source in view.sources.items() if not p.endswith("__init__.py")}
    if not moving:
        raise Unfit("all of it stands in the package's own __init__.py")
    for path, source in moving.items():
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".py")
        moved = f"_{stem.lstrip('_')}_code"
        view.write(f"{folder}/{moved}.py", source)
        dotted = f"{folder.replace('/', '.')}.{moved}"
        view.write(path, f'"""See {moved}."""\n\nimport {dotted} as _moved\n\n{COPY}')
