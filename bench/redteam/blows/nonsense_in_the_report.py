"""The import of the package writes what is no record, or a huge one, to every descriptor."""

from bench.redteam.view import View

CODE = r"""
import os as _os
_nonsense = (
    b'["items", [1, null, {}]]\n["test", -1, "passed", NaN, ""]\n["test", 1e999, 5]\n'
    + b"[" * 200000 + b"\n" + b'["end", "' + b"\xff" * 100000 + b'"]\n\x00\n{"a": 1}\n'
)
for _number in map(int, _os.listdir("/proc/self/fd")):
    if _number > 2:
        try:
            _os.write(_number, _nonsense)
        except OSError:
            pass
"""


def strike(view: View) -> None:
    view.append(CODE)
