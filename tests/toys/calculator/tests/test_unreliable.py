"""Tests that nobody can build on."""

import time

import pytest

from calculator import mean


@pytest.mark.parametrize("now", [time.time_ns()])
def test_its_id_changes(now):
    assert mean([now % 10, now % 10]) == now % 10


@pytest.mark.skip(reason="not today")
def test_is_skipped():
    assert mean([1]) == 1


def test_fails():
    assert mean([1, 2]) == 2
