"""Runs of pytest alone, without the probe, which print a line for each test."""

import re
from collections.abc import Collection, Sequence

from featuredel.languages.python.runner import NO_CONFIG

PARSER = "parse_log_pytest_v2"
"""What SWE-bench calls its reader of such lines. Another takes an id to end at its first space."""

VARIABLES = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
"""Those of a run with the probe that tests can notice."""

_OF_PLUGINS = {"pytest-benchmark": "--benchmark-disable", "hypothesis": "--hypothesis-seed=0"}
_DROPPED = ("--no-header", "--no-summary", *_OF_PLUGINS.values())
_COLOUR = re.compile(r"\[\d+m")
_CONTROL = re.compile(r"[\x01-\x1f]")


def printed_command(recorded: Sequence[str], lock: Collection[str]) -> tuple[str, ...]:
    """Return the recorded command of a task so that it needs no probe; see `Language`."""
    words, kept = list(recorded), []
    while words:
        word = words.pop(0)
        if word == "-p" and words[:1] and words[0].startswith("featuredel_probe."):
            words.pop(0)
        elif word == "pytest":
            kept += [word, "-rA"]
        elif word not in _DROPPED:
            kept.append("/dev/null" if word == NO_CONFIG else word)
    there = {entry.partition("==")[0] for entry in lock}
    return (*kept, *(option for plugin, option in _OF_PLUGINS.items() if plugin in there))


def reads_back(test: str, others: Collection[str]) -> bool:
    """Return whether `PARSER` reads the line of a test as being of that test; see `Language`."""
    found = " ".join(_CONTROL.sub("", _COLOUR.sub("", test)).split())
    # where brackets are left open, the reader takes any test whose id begins so
    is_open = test.count("[") > test.count("]")
    return found == test and not (
        is_open and any(other.startswith(test) and other != test for other in others)
    )
