"""A thread ends the process with 0 while the tests run."""

from bench.redteam.view import View

CODE = """
import os, threading, time
threading.Thread(target=lambda: (time.sleep(0.001), os._exit(0)), daemon=True).start()
"""


def attack(view: View) -> None:
    view.append(CODE)
