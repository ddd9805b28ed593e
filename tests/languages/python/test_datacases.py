"""Single cases out of JSON files."""

from featuredel.languages.python import datacases
from featuredel.languages.python.datacases import named, read

SPEC = b"""\
[
  {"section": "Hard breaks", "n": 1, "line": 2, "text": "a, ] b"},
  {"section": "Hard breaks", "n": 2, "line": 10, "text": "c"},
  {"section": "Tabs", "n": 3, "line": 1, "text": "d"}
]
"""
TESTS = ("test_hard_breaks_001", "test_hard_breaks_002", "test_tabs_003")


def cases() -> datacases.Cases:
    found = read(SPEC)
    assert found is not None
    return found


def test_a_test_is_named_by_fields_of_its_case() -> None:
    assert named(cases(), TESTS) == {test: row for row, test in enumerate(TESTS)}
    assert named(cases(), ["test_tabs_003"]) == {"test_tabs_003": 2}, "cases without a test"


def test_names_that_count_or_come_from_elsewhere_are_not_clear() -> None:
    assert named(cases(), ["test_case_1"]) is None
    assert named(cases(), ["test_tabs"]) is None, "two cases share what the name tells"


def test_what_stays_is_the_same_text() -> None:
    assert cases().without([]) == SPEC
    first = SPEC.replace(SPEC[4 : SPEC.index(b",\n") + 4], b"")
    assert cases().without([0]) == first
    last = SPEC.replace(b',\n  {"section": "Tabs", "n": 3, "line": 1, "text": "d"}', b"")
    assert cases().without([2]) == last
    assert b"".join(cases().without([0, 2]).split()) == (
        b'[{"section":"Hardbreaks","n":2,"line":10,"text":"c"}]'
    )


def test_only_lists_of_objects_hold_cases() -> None:
    for data in (b"{}", b"[]", b"[1, 2]", b'[{"a": 1}', b"\xff", b"", b"none"):
        assert read(data) is None
