"""The way out: records as JSON lines on a file descriptor of their own."""

import fcntl
import json
import os
from typing import Any, List

HIGH_FD = 200  # out of the way of tests that count on low numbers


class Report:
    """Writes records to the report. Only the process that made it can write."""

    def __init__(self, fd: int) -> None:
        """Take over `fd`; child processes do not inherit it."""
        self._fd = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH_FD)
        os.close(fd)
        self._process = os.getpid()
        self._waiting: List[bytes] = []

    def add(self, *record: Any) -> None:
        """Keep a record until the next `flush`."""
        self._waiting.append(json.dumps(record, separators=(",", ":")).encode())

    def flush(self) -> None:
        """Write all that waits. Called before anything that might not come back."""
        if os.getpid() != self._process or not self._waiting:
            return
        data = b"\n".join(self._waiting) + b"\n"
        self._waiting.clear()
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]

    def send(self, *record: Any) -> None:
        """Write a record at once."""
        self.add(*record)
        self.flush()
