"""What a server is, and how much of an answer is waited for and read."""

import contextlib
import gzip
import socketserver
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from featuredel.errors import InfrastructureError, UsageError
from featuredel.solve.chat import Chat, Server


def test_the_client_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(UsageError, match=r"pip install 'featuredel\[solve\]'"):
        Chat(Server("http://127.0.0.1:9/v1", "m"))


@pytest.mark.parametrize(
    "endpoint",
    ["", "localhost:8000", "ftp://host/v1", "http://", "http://host:port/v1", "http://[::1"],
)
def test_an_endpoint_is_a_url(endpoint: str) -> None:
    with pytest.raises(UsageError, match="give a URL"):
        Chat(Server(endpoint, "m"))


def test_a_server_prints_without_its_key() -> None:
    assert "secret" not in repr(Server("http://host/v1", "m", "secret"))


HEAD = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n"
Drip = tuple[bytes, bytes, float]
"""What a server sends first, what over and over again after that, and its pauses in seconds."""


@contextlib.contextmanager
def dripping(first: bytes, more: bytes, pause_s: float) -> Iterator[str]:
    """Serve an answer that has no end, and give the endpoint; it ends when nobody listens."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(first)
            with contextlib.suppress(OSError):
                while more:
                    self.wfile.write(more)
                    time.sleep(pause_s)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


def asked(endpoint: str, timeout_s: float) -> object:
    chat = Chat(Server(endpoint, "m", retries=0, timeout_s=timeout_s, answer_bytes=1 << 20))
    return chat.ask([{"role": "user", "content": "Hello."}], [])


@pytest.mark.parametrize(
    "drip",
    [
        (b"HTTP/1.1 200 OK\r\n", b"A: b\r\n", 0.2),
        (HEAD % b"200 OK" + b"\r\n", b" ", 0.2),
        (HEAD % b"400 Bad Request" + b"\r\n", b" ", 0.2),
    ],
)
def test_an_answer_that_drips_is_given_up(drip: Drip) -> None:
    with dripping(*drip) as endpoint, pytest.raises(InfrastructureError, match="no whole answer"):
        asked(endpoint, 1.0)


@pytest.mark.parametrize("status", [b"200 OK", b"400 Bad Request", b"307 Temporary Redirect"])
def test_an_answer_that_is_too_large_is_given_up(status: bytes) -> None:
    drip = (HEAD % status + b"\r\n", b" " * 100_000, 0.0)
    with dripping(*drip) as endpoint, pytest.raises(InfrastructureError, match="1048576 bytes"):
        asked(endpoint, 600.0)


def test_an_answer_that_is_packed_is_not_unpacked() -> None:
    packed = gzip.compress(b" " * (1 << 26))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    with (
        dripping(head + packed, b"", 0.0) as endpoint,
        pytest.raises(InfrastructureError, match="is no chat completion"),
    ):
        asked(endpoint, 600.0)


def test_a_redirect_is_not_followed() -> None:
    head = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /v2\r\nContent-Length: 0\r\n\r\n"
    with dripping(head, b"", 0.0) as endpoint, pytest.raises(UsageError, match="HTTP 307"):
        asked(endpoint, 600.0)
