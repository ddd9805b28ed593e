"""What a run leaves in the tree and in scratch space."""

import os
import shutil
from typing import Dict, List, Tuple

Traces = Dict[str, Tuple[int, int]]


def traces(places: List[str]) -> Traces:
    """Return the files in `places`, with size and time; of a directory, only that it is there."""
    found: Traces = {}
    for place in places:
        for folder, folders, files in os.walk(place):
            for name in files:
                status = os.lstat(os.path.join(folder, name))
                found[os.path.join(folder, name)] = (status.st_size, status.st_mtime_ns)
            for name in folders:
                found[os.path.join(folder, name)] = (-1, -1)
    return found


def restored(places: List[str], before: Traces) -> bool:
    """Remove what is new in scratch space; return whether all is as it was."""
    _, *scratch = places
    for path in traces(scratch).keys() - before.keys():
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        elif os.path.lexists(path):
            os.unlink(path)
    return traces(places) == before
