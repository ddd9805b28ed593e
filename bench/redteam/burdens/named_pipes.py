"""Named pipes and sockets in the tree, which a reader would wait for."""

import os
import socket

from bench.redteam.view import View


def burden(view: View) -> None:
    os.mkfifo(view.root / "pipe")
    os.mkfifo(view.root / view.package / "pipe.py")
    here = os.open(view.root / view.package, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{here}/socket.py")
    os.close(here)
