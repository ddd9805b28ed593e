"""What a server is, and what goes wrong before it is asked."""

import sys

import pytest

from featuredel.errors import UsageError
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
