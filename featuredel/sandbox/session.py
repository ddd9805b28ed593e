"""A launcher whose command is asked more than once."""

import contextlib
import os
import selectors
import time
from collections.abc import Callable, Mapping
from typing import Any

from featuredel.sandbox import FRAME, Command
from featuredel.sandbox.channels import Channels, Pipe
from featuredel.sandbox.launch import finish, start


class LaunchedSession:
    """See `Session`. What the command prints is thrown away."""

    def __init__(
        self, entry: str, command: Command, spec: Mapping[str, Any],
        ended: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        """Start `launcher.<entry>` with `spec`; `ended` is called when nothing of it is left."""
        self.cpu_s = 0.0
        self._stack = contextlib.ExitStack()
        self._stack.callback(ended)
        with contextlib.ExitStack() as broken:
            broken.callback(self._stack.close)
            self._channels = Channels.open(self._stack)
            questions = Pipe.open(self._stack)
            os.set_blocking(questions.writer.fileno(), False)
            self._questions = questions.writer
            self._process = start(
                entry, questions.reader.fileno(), spec, self._channels, self._stack
            )
            questions.reader.close()
            broken.pop_all()
        out, err, self._answers, self._status = self._channels.streams(command.limits)
        self._noise = (out, err)

    @property
    def closed(self) -> bool:
        """Whether it is over; see `Session`."""
        return self._process.returncode is not None

    def ask(self, question: bytes, wall_s: float) -> bytes | None:
        """Return the answer, or None if there was none in time; see `Session.ask`."""
        if self.closed:
            return None
        answer = self._exchange(FRAME.pack(len(question), 0.0) + question, wall_s)
        if answer is None:
            self.close()
        return answer

    def close(self) -> None:
        """End the command; see `Session.close`."""
        if not self.closed:
            with self._stack:
                finish(self._process, self._channels, (*self._noise, self._answers, self._status))

    def _exchange(self, question: bytes, wall_s: float) -> bytes | None:
        deadline = time.monotonic() + wall_s
        left = memoryview(question)
        exit_descriptor = os.pidfd_open(self._process.pid)
        try:
            with selectors.DefaultSelector() as selector:
                for stream in (*self._noise, self._answers):
                    selector.register(stream.descriptor, selectors.EVENT_READ, stream)
                selector.register(self._questions, selectors.EVENT_WRITE)
                selector.register(exit_descriptor, selectors.EVENT_READ)
                while (left_s := deadline - time.monotonic()) > 0:
                    for key, _ in selector.select(left_s):
                        if key.fd == exit_descriptor:
                            return None
                        if key.data is None:
                            left = left[os.write(key.fd, left) :]
                            if not left:
                                selector.unregister(key.fileobj)
                        else:
                            key.data.read()
                            if key.data.finished:
                                selector.unregister(key.fd)
                    for stream in self._noise:
                        stream.data.clear()
                    if self._answers.exceeded or self._answers.finished:
                        return None
                    if (answer := self._answer()) is not None:
                        return answer
        except BrokenPipeError:
            return None
        finally:
            os.close(exit_descriptor)
        return None

    def _answer(self) -> bytes | None:
        data = self._answers.data
        if len(data) < FRAME.size:
            return None
        size, cpu_s = FRAME.unpack_from(data)
        if len(data) < FRAME.size + size:
            return None
        self.cpu_s = max(self.cpu_s, cpu_s)
        answer = bytes(data[FRAME.size : FRAME.size + size])
        data.clear()  # there is one answer to a question
        return answer
