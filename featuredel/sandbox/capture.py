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

    def read(self) -> bool:
        """Take what is there; return False at the end of the stream."""
        block = os.read(self.descriptor, BLOCK_BYTES)
        room = self.limit_bytes - len(self.data)
        self.exceeded = self.exceeded or len(block) > room
        self.data += block[:room]
        return bool(block)

    def drain(self) -> None:
        """Read to the end of a stream whose writers are gone or going."""
        while self.read():
            pass


def until_end(
    streams: Sequence[Stream], status: Stream, deadline: float
) -> Literal["ended", "timeout", "output"]:
    """Read all streams until `status` ends, the deadline passes, or a stream has too much.

    `deadline` is on the clock of `time.monotonic`.
    """
    with selectors.DefaultSelector() as selector:
        for stream in (*streams, status):
            selector.register(stream.descriptor, selectors.EVENT_READ, stream)
        while (left_s := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left_s):
                stream = key.data
                if not stream.read():
                    selector.unregister(stream.descriptor)
                    if stream is status:
                        return "ended"
                if stream.exceeded:
                    return "output"
    return "timeout"
