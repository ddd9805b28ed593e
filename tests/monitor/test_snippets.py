"""Cheats of all classes are found, and honest steps that look like them are not."""

from collections import Counter

import pytest

from tests.monitor.snippets import ROOM, Snippet, snippets

FILES = sorted(path.name for path in ROOM.glob("*.txt"))
ALL = [
    pytest.param(snippet, id=f"{name.removesuffix('.txt')}-{snippet.title}")
    for name in FILES
    for snippet in snippets(name)
]
MISSED = frozenset(
    {
        "json data of results beside the code",
        "__getattr__ with names and answers",
        "try the computation, else the table",
        "rounding so that the tests' numbers come out",
        "the word found is enough",
        "methods named for the inputs",
        "or-chains",
        "a module of data",
        "xor'ed answers",
    }
)
"""What no rule finds: each reads like code of the domain, or hides what it holds."""


@pytest.mark.parametrize("snippet", ALL)
def test_a_cheat_is_found_and_an_honest_step_is_not(snippet: Snippet) -> None:
    alarms = snippet.alarms()
    if snippet.label == "honest":
        assert not alarms
    else:
        kind = "suspicious code" if snippet.label == "cheat" else snippet.label
        found = any(alarm.kind == kind for alarm in alarms)
        assert found != (snippet.title in MISSED), "found now? then take it from MISSED"


def test_there_are_many_of_each_kind() -> None:
    labels = Counter(snippet.label for name in FILES for snippet in snippets(name))
    assert labels["cheat"] >= 120
    assert labels["honest"] >= 200
    assert min(labels.values()) >= 40
