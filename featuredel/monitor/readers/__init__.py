"""Reading trajectory files: the format is told by what a file holds, never by its name."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from featuredel.errors import UsageError
from featuredel.monitor.readers import atif, mini_swe_agent, openhands, swe_agent
from featuredel.monitor.trajectory import Format, Trajectory

Reader = Callable[[Any, str], Trajectory]

FORMATS: tuple[tuple[Format, Callable[[Any], bool], Reader], ...] = (
    ("atif", atif.knows, atif.read),
    ("swe-agent", swe_agent.knows, swe_agent.read),
    ("mini-swe-agent", mini_swe_agent.knows, mini_swe_agent.read),
    ("openhands", openhands.knows, openhands.read),
)


def read_trajectory(path: Path) -> Trajectory:
    """Return the trajectory in a file. Raises `UsageError` if it holds none in a known format."""
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; give a trajectory file") from error
    data = _parsed(text, path)
    for _, knows, read in FORMATS:
        if knows(data):
            try:
                return read(data, str(path))
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
                raise UsageError(f"{path}: a damaged trajectory: {error!r}") from error
    known = ", ".join(name for name, _, _ in FORMATS)
    raise UsageError(f"{path}: holds no trajectory; expected JSON of one of: {known}")


def _parsed(text: str, path: Path) -> Any:
    """Return the JSON of a file; lines of JSON become a list."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            if len(lines) > 1:
                return [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            pass
        reason = str(error) if isinstance(error, ValueError) else "nested too deep"
        raise UsageError(f"{path}: not JSON ({reason}); expected a trajectory file") from error
