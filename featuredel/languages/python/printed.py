"""Runs of pytest without featuredel, which print a line for each test."""

import json
import re
from collections.abc import Collection, Mapping, Sequence

from featuredel.languages.python.runner import NO_CONFIG, PROBE
from featuredel.model import PrintedRun, TestId

PARSER = "parse_log_pytest_v2"  # another of SWE-bench's takes an id to end at its first space

_FOLDER = "/tmp/featuredel"  # noqa: S108 -- of a container
_PACKAGE = "featuredel_probe"
_MODULES = ("__init__", "clock", "generated", "outcomes", "printer", "selection")
_OTHERWISE = {f"{_PACKAGE}.plugin": f"{_PACKAGE}.printer", NO_CONFIG: "/dev/null"}
_VARIABLES = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "PYTHONPATH": _FOLDER}
_COLOUR = re.compile(r"\[\d+m")
_CONTROL = re.compile(r"[\x01-\x1f]")


def printed_run(
    recorded: Sequence[str], variables: Mapping[str, str], timeout_s: int, aside: Collection[TestId]
) -> PrintedRun:
    """Return how the recorded command of a task runs without featuredel; see `Language`."""
    modules = {f"{name}.py": (PROBE / _PACKAGE / f"{name}.py").read_text() for name in _MODULES}
    files = {**modules, "aside.json": f"{json.dumps(sorted(aside))}\n"}
    return PrintedRun(
        argv=tuple(_OTHERWISE.get(word, word) for word in recorded),
        variables={**_VARIABLES, "FEATUREDEL_LIMIT_S": str(timeout_s), **_joined(variables)},
        files={f"{_FOLDER}/{_PACKAGE}/{name}": text for name, text in files.items()},
        parser=PARSER,
    )


def reads_back(test: TestId, others: Collection[TestId]) -> bool:
    """Return whether `PARSER` reads the line of a test as being of that test; see `Language`."""
    found = " ".join(_CONTROL.sub("", _COLOUR.sub("", test)).split())
    # where brackets are left open, the harness takes any test whose id begins so
    is_open = test.count("[") > test.count("]")
    return found == test and not (
        is_open and any(other.startswith(test) and other != test for other in others)
    )


def _joined(variables: Mapping[str, str]) -> Mapping[str, str]:
    path = variables.get("PYTHONPATH")
    return {**variables, "PYTHONPATH": f"{_FOLDER}:{path}"} if path else variables
