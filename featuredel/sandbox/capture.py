"""Read what a command prints, never holding more than it may print."""

import os
import selectors
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

BLOCK_BYTES = 1 << 16


@dataclass(slots=True)
class Stream:
    """The read end of a pipe, and at most `limit_bytes` of what came through it."""

    descriptor: int
    limit_bytes: int
    data: bytearray = field(default_factory=bytearray)
    exceeded: bool = False
    finished: bool = False

    def read(self) -> None:
        """Take what is there."""
        block = os.read(self.descriptor, BLOCK_BYTES)
        room = self.limit_bytes - len(self.data)
        self.exceeded = self.exceeded or len(block) > room
        self.data += block[:room]
        self.finished = not block


def until_end(
    streams: Sequence[Stream], ended: int, deadline: float
) -> Literal["ended", "timeout", "output"]:
    """Read until `ended` becomes readable, the deadline passes, or a stream has too much.

    `ended` is the descriptor of a process; `deadline` is on the clock of `time.monotonic`.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(ended, selectors.EVENT_READ)
        for stream in streams:
            selector.register(stream.descriptor, selectors.EVENT_READ, stream)
        while (left_s := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left_s):
                if key.fd == ended:
                    return "ended"
                _advance(selector, key.data)
            if any(stream.exceeded for stream in streams):
                return "output"
    return "timeout"


def drain(streams: Sequence[Stream], deadline: float) -> bool:
    """Read until all streams end, which they do once nobody can write; False: they did not."""
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            if not stream.finished:
                selector.register(stream.descriptor, selectors.EVENT_READ, stream)
        while selector.get_map() and (left_s := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left_s):
                _advance(selector, key.data)
    return all(stream.finished for stream in streams)


def _advance(selector: selectors.BaseSelector, stream: Stream) -> None:
    stream.read()
    if stream.finished:
        selector.unregister(stream.descriptor)
