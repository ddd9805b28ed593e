"""A command that is asked more than once, through pipes."""

import contextlib
import os
import selectors
import time
from collections.abc import Callable, Mapping
from typing import Any

from featuredel.sandbox import FRAME, Command
from featuredel.sandbox.capture import Stream
from featuredel.sandbox.channels import Channels, Pipe
from featuredel.sandbox.launch import finish, start


class PipedSession:
    """See `Session`. What the command prints is thrown away."""

    def __init__(
        self, questions: int, streams: tuple[Stream, Stream, Stream], ended: int,
        end: Callable[[], None],
    ) -> None:  # fmt: skip
        """Ask through `questions`, and read stdout, stderr and the answers in `streams`.

        `ended` becomes readable when the command has ended by itself; `end` ends it, and all.
        """
        self.cpu_s = 0.0
        self.closed = False
        self._questions = questions
        self._noise, self._answers = streams[:2], streams[2]
        self._ended, self._end = ended, end
        os.set_blocking(questions, False)

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
            self.closed = True
            self._end()

    def _exchange(self, question: bytes, wall_s: float) -> bytes | None:
        deadline = time.monotonic() + wall_s
        left = memoryview(question)
        try:
            with selectors.DefaultSelector() as selector:
                for stream in (*self._noise, self._answers):
                    selector.register(stream.descriptor, selectors.EVENT_READ, stream)
                selector.register(self._questions, selectors.EVENT_WRITE)
                selector.register(self._ended, selectors.EVENT_READ)
                while (left_s := deadline - time.monotonic()) > 0:
                    for key, _ in selector.select(left_s):
                        if key.fd == self._ended:
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


def launched_session(
    entry: str, command: Command, spec: Mapping[str, Any],
    ended: Callable[[], None] = lambda: None,
) -> PipedSession:  # fmt: skip
    """Start `launcher.<entry>` with `spec`; `ended` is called when nothing of it is left."""
    with contextlib.ExitStack() as stack:
        stack.callback(ended)
        channels = Channels.open(stack)
        questions = Pipe.open(stack)
        process = start(entry, questions.reader.fileno(), spec, channels, stack)
        questions.reader.close()
        exit_descriptor = os.pidfd_open(process.pid)
        stack.callback(os.close, exit_descriptor)
        out, err, answers, status = channels.streams(command.limits)
        everything = stack.pop_all()

        def end() -> None:
            with everything:
                finish(process, channels, (out, err, answers, status))

        return PipedSession(questions.writer.fileno(), (out, err, answers), exit_descriptor, end)
