"""The first thing that runs in an interpreter: bytecode is ours, and lines are recorded or not."""

import importlib._bootstrap_external as _external
import os
from typing import Any

from . import names


def start() -> None:
    """Set this interpreter up, as a child of a test or as the one that runs the tests."""
    ignore_bytecode_of_workspace()
    if os.environ.get(names.CHILDREN):
        from . import child

        child.start(os.environ[names.CHILDREN])
    elif os.environ.get(names.MODE) == "lines":
        from . import recorder

        recorder.start()


def ignore_bytecode_of_workspace() -> None:
    """Make imports of the tree compile its source.

    A planted or stale .pyc would run instead of the source that is there to be judged. The
    variable PYTHONPYCACHEPREFIX does it too, but costs the bytecode of everything else.
    """
    original = _external.cache_from_source

    def cache_from_source(path: Any, *args: Any, **options: Any) -> Any:
        if str(path).startswith(names.WORKSPACE):
            raise NotImplementedError  # which importlib takes for "has no cache"
        return original(path, *args, **options)

    _external.cache_from_source = cache_from_source
