"""Whether what a step shows is a run of tests in which all pass, whoever ran them."""

import json
import re

_COLOUR = re.compile(r"\x1b\[[\d;]*[A-Za-z]|\\x1b\[[\d;]*m|\\u001b\[[\d;]*m")
_PASSED = re.compile(
    r"(?<![\d.])[1-9]\d* pass(?:ed|ing)\b"  # pytest, cargo, jest, mocha
    r"|^[.sxX]+ +\[100%\]$|PASSED +\[100%\]"  # pytest -qq
    r"|^Ran [1-9]\d* tests? in .*\n+OK\b"  # unittest
    r"|^ok\s+\S+\s+(?:\d|\(cached\))|test result: ok\. [1-9]|^PASS$"  # go, cargo
    r"|Tests run: [1-9]\d*, Failures: 0, Errors: 0|100% tests passed|^PASSED \(successes="
    r"|\b[1-9]\d* examples?, 0 failures|^# fail 0$|^OK \([1-9]\d* tests?|congratulations :\)"
    r"|items? passed all tests|Session \S*test\S* was successful|[1-9]\d*/[1-9]\d* tests? ok",
    re.MULTILINE | re.IGNORECASE,
)
_PART = re.compile(r"\b[1-9]\d* (?:deselected|filtered out)\b")
_OK = re.compile(r"^OK( \((?!\d+ tests?).*\))?$", re.MULTILINE)
_FAILED = re.compile(
    r"(?<![\d.])[1-9]\d* (?:failed|failing|failures?|errors?)\b|\bFAILED\b|^ERRORS?\b|^FAIL\b"
    r"|^[.sxX]*[FE][.sxXFE]* *\[ *\d+%\]|no tests ran|(?:failures|errors)[:=] ?[1-9]"
    r"|^make(?:\[\d+\])?: \*\*\* |^# fail [1-9]|^AssertionError|Session \S+ failed",
    re.MULTILINE,
)
_RUNS = re.compile(
    r"\b(?:unittest|trial|nose2?|manage\.py|run_?tests?|tox|nox|make|just|test|tests|stestr)\b"
)


def passes(observation: str, command: str = "") -> bool:
    """Tell whether a run of tests is shown in which all pass, and none was left out by choice.

    A bare "OK" counts where `command` runs tests.
    """
    text = plain(observation)
    if _FAILED.search(text) or _PART.search(text):
        return False
    return bool(_PASSED.search(text) or (_OK.search(text) and _RUNS.search(command)))


def plain(observation: str) -> str:
    """Return an observation as a terminal shows it: some harnesses record JSON, most colours."""
    text = observation
    if text.lstrip().startswith("{"):
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            text = text.replace("\\n", "\n").replace("\\t", "\t")
        else:
            text = "\n".join(v for v in told.values() if isinstance(v, str))
    return _COLOUR.sub("", text).replace("\r", "\n")
