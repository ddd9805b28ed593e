"""A command that is asked more than once."""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import running, wait_until

from featuredel.sandbox import Command, Limits, Mount, Sandbox, Session
from featuredel.sandbox.shared import Shared

pytestmark = pytest.mark.sandbox

ANSWERS = """
import os, struct, sys, time
FRAME = struct.Struct("!Qd")
def exactly(size):
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            sys.exit()
        data += part
    return data
count = 0
while True:
    question = exactly(FRAME.unpack(exactly(FRAME.size))[0])
    count += 1
    answer = eval(question)
    data = FRAME.pack(len(answer), 0.25 * count) + answer
    while data:
        data = data[os.write(3, data):]
"""
Opened = Callable[..., Session]


@pytest.fixture
def opened(back_end: Sandbox, tree: Path) -> Iterator[Opened]:
    """Return a function that opens a session with a program that evaluates what it is asked."""
    home = Path(sys.base_prefix)
    program = home / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    stack = contextlib.ExitStack()

    def start(**fields: object) -> Session:
        command = Command(
            argv=(str(program), "-I", "-S", "-c", ANSWERS),
            layers=(tree,),
            mounts=(Mount(home, str(home)),),
            **fields,  # type: ignore[arg-type]
        )
        session = back_end.open(command)
        assert session is not None
        return stack.enter_context(contextlib.closing(session))

    with stack:
        yield start


def test_one_process_answers_one_question_after_the_other(opened: Opened) -> None:
    session = opened()
    first, second = (session.ask(b"str((os.getpid(), count)).encode()", 10) for _ in range(2))
    assert first is not None
    assert second == first.replace(b" 1)", b" 2)")
    assert session.cpu_s == 0.5


def test_questions_and_answers_of_any_size(opened: Opened) -> None:
    session = opened()
    assert session.ask(b"str(len(question)).encode()" + b" " * 3_000_000, 10) == b"3000027"
    assert session.ask(b"b'x' * 3_000_000", 10) == b"x" * 3_000_000
    assert session.ask(b"b''", 10) == b""


def test_what_it_prints_is_thrown_away(opened: Opened) -> None:
    session = opened(limits=Limits(output_bytes=1000))
    for _ in range(3):
        assert session.ask(b"[os.write(n, b'x' * 100_000) for n in (1, 2)] and b'ok'", 10) == b"ok"


def test_no_answer_in_time_ends_it(opened: Opened) -> None:
    session = opened()
    began = time.monotonic()
    assert session.ask(b"time.sleep(1000)", 0.3) is None
    assert session.ask(b"b'again'", 10) is None
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("question", [b"os._exit(0)", b"1 / 0", b"os.kill(os.getpid(), 9)"])
def test_an_end_without_an_answer_is_none(opened: Opened, question: bytes) -> None:
    session = opened()
    assert session.ask(question, 10) is None
    assert session.ask(b"b'again'", 10) is None
    session.close()
    session.close()


def test_an_answer_that_is_too_long_ends_it(opened: Opened) -> None:
    assert opened(limits=Limits(report_bytes=1000)).ask(b"b'x' * 2000", 10) is None


def test_nothing_is_left_when_it_is_closed(opened: Opened) -> None:
    session = opened()
    seconds = f"{4000 + os.getpid()}.5"
    child = f"os.fork() or (os.setsid(), os.execlp('sleep', 'sleep', '{seconds}'))"
    assert session.ask(f"str({child}).encode()".encode(), 10) is not None
    assert wait_until(seconds, there=True)
    session.close()
    assert running(seconds) == []


def test_it_may_make_as_many_namespaces_as_were_asked_for(
    opened: Opened, back_end: Sandbox, tree: Path
) -> None:
    unshare = b"str(__import__('ctypes').CDLL(None).unshare(0x10000000)).encode()"
    assert opened().ask(unshare, 10) == b"-1"
    if back_end.name == "docker":
        assert back_end.open(Command(argv=("true",), layers=(tree,), nesting=1)) is None
        return
    allowed = opened(nesting=1)
    assert [allowed.ask(unshare, 10) for _ in range(2)] == [b"0", b"-1"]


def test_the_same_command_is_answered_by_the_same_process(back_end: Sandbox, tree: Path) -> None:
    def who(sandbox: Shared, name: str) -> bytes | None:
        home = Path(sys.base_prefix)
        program = home / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
        command = Command(
            argv=(str(program), "-I", "-S", "-c", ANSWERS), layers=(tree,),
            mounts=(Mount(home, str(home)),), variables={"NAME": name},
        )  # fmt: skip
        session = sandbox.open(command)
        assert session is not None
        return session.ask(b"str((os.environ['NAME'], count)).encode()", 10)

    with contextlib.closing(Shared(back_end, most=2)) as sandbox:
        told = [who(sandbox, name) for name in "ababcba"]
        assert [eval(answer or b"") for answer in told] == [
            ("a", 1), ("b", 1), ("a", 2), ("b", 2), ("c", 1), ("b", 3), ("a", 1),
        ]  # fmt: skip
        assert len(sandbox.sessions) == 2
    assert not sandbox.sessions
