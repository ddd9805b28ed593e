"""Runs at the start of every interpreter in the sandbox that has this folder on PYTHONPATH.

Python >= 3.8, standard library only. A `sitecustomize` of the environment itself runs afterwards.
"""

import contextlib
import importlib
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))

with contextlib.suppress(Exception):
    importlib.import_module("featuredel_probe.start").start()

_others = [path for path in sys.path if os.path.abspath(path or ".") != _HERE]
_spec = importlib.machinery.PathFinder.find_spec("sitecustomize", _others)
if _spec is not None and _spec.loader is not None:
    _spec.loader.exec_module(importlib.util.module_from_spec(_spec))
