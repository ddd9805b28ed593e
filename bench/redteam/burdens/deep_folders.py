"""Folders in folders, deeper than a path may be long."""

import os

from bench.redteam.view import View


def burden(view: View) -> None:
    here = os.open(view.root / view.package, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("d" * 200, dir_fd=here)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("deep.py", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
