"""A Docker engine to test with: the tests that need one are skipped where none answers."""

import contextlib

import pytest

from featuredel.errors import SandboxError
from featuredel.sandbox.docker import images
from featuredel.sandbox.docker.back_end import Docker
from featuredel.sandbox.docker.base import make_base
from featuredel.sandbox.docker.engine import connect
from featuredel.sandbox.docker.stock import OWN_BASE


def docker_here() -> Docker:
    """Return the back-end with a base image, which is made if there is none."""
    try:
        client = connect()
    except SandboxError as error:
        pytest.skip(str(error))
    with contextlib.closing(client):
        if images.find(client, OWN_BASE) is None:
            make_base(client)
    return Docker()
