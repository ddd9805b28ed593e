"""Files that show or measure the project but are no part of it: they follow what they use."""

from pathlib import PurePosixPath

from featuredel.languages.python.layout import is_aside

_MORE = frozenset({"fuzz", "fuzzing", "fuzzers", "perf"})


def is_configuration(path: str) -> bool:
    """Return whether the build, the docs or a task runner reads the file: it is never edited."""
    return is_aside(path) and (is_aside(PurePosixPath(path).name) or path.endswith("/conf.py"))


def follows(path: str) -> bool:
    """Return whether the file may lose whatever uses a feature, whoever wrote it for what."""
    top = path.split("/", 1)[0] if "/" in path else ""
    return (is_aside(path) and not is_configuration(path)) or top in _MORE
