"""The client of the engine, and the one place where its errors become `SandboxError`."""

import contextlib
from collections.abc import Iterator
from typing import Any

import docker
import requests
from docker.errors import APIError, DockerException

from featuredel.errors import SandboxError

POOL = 64
"""Calls at once; more wait for each other."""

TIMEOUT_S = 300.0
"""For one answer of the engine."""


def connect() -> Any:
    """Return a client of the engine that `DOCKER_HOST` names, or that of this machine.

    Raises `SandboxError` where none answers. The caller closes it.
    """
    try:
        client = docker.from_env(timeout=TIMEOUT_S, max_pool_size=POOL)
    except DockerException as error:
        raise SandboxError(_no_engine(error)) from None
    try:
        client.ping()
    except (DockerException, requests.RequestException) as error:
        client.close()
        raise SandboxError(_no_engine(error)) from None
    if not client.api.base_url.startswith(("http+docker://", "http://127.", "http://localhost")):
        client.close()
        raise SandboxError("DOCKER_HOST names another machine; the sandbox needs an engine on this")
    return client


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
