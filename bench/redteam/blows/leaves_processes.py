"""Processes that no signal ends stay behind, with every descriptor open."""

from bench.redteam.view import View

CODE = """
import os as _os, signal as _signal, time as _time
for _ in range(20):
    if _os.fork() == 0:
        _os.setsid()
        for _number in range(1, 65):
            try:
                _signal.signal(_number, _signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        _time.sleep(100000)
        _os._exit(0)
"""


def strike(view: View) -> None:
    view.append(CODE)
