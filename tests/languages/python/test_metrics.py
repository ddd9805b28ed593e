import pytest

from featuredel.languages.python.metrics import branches, code_lines

SOURCE = b'''\
"""A module
of two lines."""

import os  # why


def f(a):
    """Doc."""
    # only a comment
    text = """not
    a docstring"""
    if a and text or os:
        return [x for x in a]

    try:
        pass
    except OSError:
        pass
'''


def test_blanks_comments_and_docstrings_are_no_code() -> None:
    assert code_lines(SOURCE) == {4, 7, 10, 11, 12, 13, 15, 16, 17, 18}


def test_branches_are_counted_on_the_lines_asked_for() -> None:
    assert branches(SOURCE, code_lines(SOURCE)) == 5  # if, and, or, comprehension, handler
    assert branches(SOURCE, frozenset({13})) == 1


@pytest.mark.parametrize("source", [b"def f(:\n", b"print 'two'\n", b"\x00", b"\xff\xfe"])
def test_what_does_not_parse_has_none(source: bytes) -> None:
    assert code_lines(source) == frozenset()
    assert branches(source, frozenset({1})) == 0
