"""Runs of pytest alone, without the probe, which print a line for each test."""

import re
from collections.abc import Collection, Mapping, Sequence

from featuredel.languages.python.runner import NO_CONFIG, PROBE
from featuredel.model import PrintedRun, TestId

PARSER = "parse_log_pytest_v2"  # another of SWE-bench's takes an id to end at its first space

_FOLDER, _LIMIT = "/tmp/featuredel", "featuredel_limit"  # noqa: S108 -- of a container
_VARIABLES = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "PYTHONPATH": _FOLDER}
_OF_PLUGINS = {"pytest-benchmark": "--benchmark-disable", "hypothesis": "--hypothesis-seed=0"}
_DROPPED = ("--no-header", "--no-summary", *_OF_PLUGINS.values())
_COLOUR = re.compile(r"\[\d+m")
_CONTROL = re.compile(r"[\x01-\x1f]")


def printed_run(
    recorded: Sequence[str], lock: Collection[str], variables: Mapping[str, str], timeout_s: int
) -> PrintedRun:
    """Return how the recorded command of a task runs without the probe; see `Language`."""
    words, kept = list(recorded), []
    while words:
        word = words.pop(0)
        if word == "-p" and words[:1] and words[0].startswith("featuredel_probe."):
            words.pop(0)
        elif word == "pytest":
            kept += [word, "-p", _LIMIT, "-rA"]
        elif word not in _DROPPED:
            kept.append("/dev/null" if word == NO_CONFIG else word)
    there = {entry.partition("==")[0] for entry in lock}
    kept += [option for plugin, option in _OF_PLUGINS.items() if plugin in there]
    return PrintedRun(
        argv=tuple(kept),
        variables={**_VARIABLES, "FEATUREDEL_LIMIT_S": str(timeout_s), **_joined(variables)},
        files={f"{_FOLDER}/{_LIMIT}.py": (PROBE / f"{_LIMIT}.py").read_text()},
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
