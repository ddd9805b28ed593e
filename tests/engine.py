"""A Docker engine to test with: the tests that need one are skipped where none answers."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from featuredel.errors import SandboxError
from featuredel.sandbox.docker import images, labels
from featuredel.sandbox.docker.back_end import Docker
from featuredel.sandbox.docker.base import make_base
from featuredel.sandbox.docker.engine import connect
from featuredel.sandbox.docker.stock import OWN_BASE


@contextlib.contextmanager
def docker_engine() -> Iterator[Docker]:
    """Yield the back-end with a base image, which is made if there is none.

    Images that tests have made, but for the base, go at the end.
    """
    try:
        client = connect()
    except SandboxError as error:
        pytest.skip(str(error))
    with contextlib.closing(client):
        if images.find(client, OWN_BASE) is None:
            make_base(client)
        before = _images(client)
        with contextlib.closing(Docker()) as docker:
            yield docker
        for image in _images(client) - before:
            client.api.remove_image(image, force=True)


def _images(client: Any) -> set[str]:
    """Return the images of ours that are there."""
    found = client.api.images(all=False, filters={"label": labels.KIND})
    return {image["Id"] for image in found}
