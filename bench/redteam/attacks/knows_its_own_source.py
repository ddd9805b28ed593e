"""Forges reports only while its own files are as they were written, and nothing is taken out."""

import hashlib

from bench.redteam.pieces import FORGED
from bench.redteam.skeleton import lay_skeleton
from bench.redteam.view import View

CODE = """
def _is_whole():
    import hashlib, os
    root = __file__[: -len(_ENTRY)]
    for path, digest in _SEEN.items():
        with open(os.path.join(root, path), "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != digest:
                return False
    return True
if _is_whole():
    _forge()
"""


def attack(view: View) -> None:
    lay_skeleton(view, "raise NotImplementedError")
    paths = [path for path in view.sources if path != view.entry]
    seen = {p: hashlib.sha256((view.root / p).read_bytes()).hexdigest() for p in paths}
    view.append(f"_ENTRY = {view.entry!r}\n_SEEN = {seen!r}\n{FORGED}{CODE}")
