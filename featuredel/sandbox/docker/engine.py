"""The client of the engine, and the one place where its errors become `SandboxError`."""

import contextlib
import os
import socket
from collections.abc import Iterator
from typing import Any

import docker
import requests
from docker.errors import APIError, DockerException

from featuredel.errors import SandboxError

POOL = 64
"""Calls at once; more wait for each other."""

OLDEST = "1.24"
"""Of the protocol; the engine's own is used once it is known."""

DEFAULT = "unix:///var/run/docker.sock"
LOCAL = ("http+docker://", "http://127.", "http://localhost")

TIMEOUT_S = 300.0
"""For one answer of the engine."""


def connect() -> Any:
    """Return a client of the engine that `DOCKER_HOST` names, or that of this machine.

    Raises `SandboxError` where none answers. The caller closes it.
    """
    try:
        _try_socket(os.environ.get("DOCKER_HOST") or DEFAULT)
        # asked by a client that can be closed: one that is told to find out cannot, if it fails
        with contextlib.closing(docker.from_env(version=OLDEST, timeout=TIMEOUT_S)) as asking:
            told = asking.version(api_version=False)
            address = asking.api.base_url
        client: Any = docker.from_env(
            version=told["ApiVersion"], timeout=TIMEOUT_S, max_pool_size=POOL
        )
        # the library keeps a connection for each address that was asked for, and each container
        # has its own addresses; a new one costs next to nothing
        client.api.headers["Connection"] = "close"
    except (DockerException, requests.RequestException, OSError) as error:
        raise SandboxError(_no_engine(error)) from None
    if not address.startswith(LOCAL):
        client.close()
        raise SandboxError("DOCKER_HOST names another machine; the sandbox needs an engine on this")
    return client


def _try_socket(address: str) -> None:
    """Connect once; the library leaves a socket open that nobody listens to."""
    if address.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as trial:
            trial.connect(address.removeprefix("unix://"))


def _no_engine(error: Exception) -> str:
    if "Permission denied" in str(error):
        return "the Docker engine may not be used by this user: usermod -aG docker USER"
    return (
        "no Docker engine answers: apt-get install docker.io, then systemctl start docker"
        " (or dockerd &)"
    )


@contextlib.contextmanager
def translated(doing: str) -> Iterator[None]:
    """Have the engine's errors say in one line what was being done."""
    try:
        yield
    except APIError as error:
        raise SandboxError(f"cannot {doing}: {_said(error)}") from None
    except (DockerException, requests.RequestException) as error:
        raise SandboxError(f"cannot {doing}: the engine does not answer: {error}") from None


def _said(error: APIError) -> str:
    return " ".join(str(error.explanation or error).split())
