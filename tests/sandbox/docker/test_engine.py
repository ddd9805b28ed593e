"""What one is told where there is no engine, or none that can be used."""

import http.server
import threading

import pytest

from featuredel.errors import SandboxError
from featuredel.sandbox.docker.engine import connect


@pytest.mark.parametrize("address", ["unix:///nowhere/docker.sock", "tcp://127.0.0.1:1"])
def test_no_engine_says_how_to_have_one(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    with pytest.raises(SandboxError, match="no Docker engine answers: apt-get install") as caught:
        connect()
    assert "\n" not in str(caught.value)


def test_what_is_no_engine_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{server.server_port}")
        with pytest.raises(SandboxError, match="no Docker engine answers"):
            connect()
        server.shutdown()
