import os
import subprocess
import time
from collections.abc import Iterator

import pytest

from featuredel.sandbox.capture import Stream, drain, until_end


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)


@pytest.fixture
def process() -> Iterator[int]:
    """Return the descriptor of a process that has ended."""
    child = subprocess.Popen(["true"])
    descriptor = os.pidfd_open(child.pid)
    child.wait()
    yield descriptor
    os.close(descriptor)


@pytest.fixture
def endless() -> Iterator[int]:
    """Return the descriptor of a process that does not end by itself."""
    child = subprocess.Popen(["sleep", "600"])
    descriptor = os.pidfd_open(child.pid)
    yield descriptor
    os.close(descriptor)
    child.kill()
    child.wait()


def test_what_was_written_before_the_end_is_drained(pipe: tuple[int, int], process: int) -> None:
    stream = Stream(pipe[0], 10)
    os.write(pipe[1], b"12345")
    os.close(pipe[1])
    assert until_end([stream], process, time.monotonic() + 60) == "ended"
    assert drain([stream], time.monotonic() + 60)
    assert (bytes(stream.data), stream.exceeded) == (b"12345", False)


def test_more_than_the_limit_is_cut(pipe: tuple[int, int], endless: int) -> None:
    stream = Stream(pipe[0], 10)
    os.write(pipe[1], b"x" * 11)
    assert until_end([stream], endless, time.monotonic() + 60) == "output"
    os.close(pipe[1])
    assert drain([stream], time.monotonic() + 60)
    assert stream.data == b"x" * 10


def test_a_stream_that_ends_early_is_no_end(pipe: tuple[int, int], endless: int) -> None:
    os.close(pipe[1])
    assert until_end([Stream(pipe[0], 10)], endless, time.monotonic() + 0.1) == "timeout"


def test_draining_gives_up(pipe: tuple[int, int]) -> None:
    assert not drain([Stream(pipe[0], 10)], time.monotonic() + 0.05)
    os.close(pipe[1])
