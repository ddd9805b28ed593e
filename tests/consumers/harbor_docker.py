"""What Harbor's own Docker environment needs here: an engine, compose, and a base image."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from uv import find_uv_bin

from featuredel import tables
from featuredel.errors import SandboxError
from featuredel.languages.python import interpreters
from featuredel.languages.python.interpreters import Interpreter, minor_of
from featuredel.model import EnvironmentRow
from featuredel.sandbox.docker import images, stock
from featuredel.sandbox.docker.base import make_base
from featuredel.sandbox.docker.engine import connect
from featuredel.sandbox.docker.layers import Part
from featuredel.sandbox.docker.stock import OWN_BASE

NAME = "featuredel-harbor-test:base"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
HARBORS = "hb__*"
"""How Harbor names the images that it builds."""


@contextlib.contextmanager
def base_image(dataset: str) -> Iterator[str]:
    """Yield the name of an image that the tasks of a dataset can be built on, without a registry.

    It is the base of `make base-image` with this machine's interpreters, uv and certificates. It
    goes at the end, as do all images that Harbor has built meanwhile.
    """
    _check_compose()
    with contextlib.closing(_engine()) as client:
        before = _built(client)
        wanted = {minor_of(row.interpreter) for row in _environments(dataset)}
        wanted.add(sys.version_info[:2])
        found = [one for one in interpreters.interpreters() if one.minor in wanted]
        part = Part(
            sources={target.lstrip("/"): source for target, source in _shown(found)},
            hidden=frozenset(
                path.lstrip("/") for one in found for path in interpreters.hidden(one.home)
            ),
        )
        homes = ":".join(f"{one.home}/bin" for one in found if one.home != Path("/usr"))
        kept = [f"{name}={value}" for name, value in os.environ.items() if name in _INDEX]
        settings = [f"PATH={homes}:{PATH}", f"SSL_CERT_FILE={CERTIFICATES}", *kept]
        images.assemble(client, stock.base(client, ""), [part], NAME, {"Env": settings})
        try:
            yield NAME
        finally:
            for image in [*(_built(client) - before), NAME]:
                client.api.remove_image(image, force=True)


_INDEX = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")


def _engine() -> Any:
    try:
        client = connect()
    except SandboxError as error:
        pytest.skip(str(error))
    if images.find(client, OWN_BASE) is None:
        make_base(client)
    return client


def _check_compose() -> None:
    if shutil.which("docker") is None:
        pytest.skip("no docker command")
    told = subprocess.run(["docker", "compose", "version"], capture_output=True, text=True)
    if told.returncode:
        pytest.skip(f"docker compose (version 2) is not here: {told.stderr.strip()}")


def _environments(dataset: str) -> Iterable[EnvironmentRow]:
    return tables.read_rows(dataset, "environments", EnvironmentRow)


def _shown(found: Iterable[Interpreter]) -> Iterator[tuple[str, Path]]:
    """Yield where things are in the image, and where they are here."""
    for one in found:
        for mount in interpreters.mounts(one.home, one.minor):
            yield mount.target, mount.source
    yield "/usr/local/bin/uv", Path(find_uv_bin())
    yield CERTIFICATES, Path(CERTIFICATES)


def _built(client: Any) -> set[str]:
    return {image["Id"] for image in client.api.images(filters={"reference": HARBORS})}
