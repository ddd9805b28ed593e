"""Images out of layers: loaded, not built.

A builder leaves its commands, its times and its cache in an image or beside it, and two builds of
the same are two images. Here the configuration is written out, with one entry of history a layer
and no clock, so that an image's id, which is the hash of that, says what is in it.
"""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docker.errors import APIError, ImageNotFound

from featuredel.errors import SandboxError
from featuredel.sandbox.docker import saved
from featuredel.sandbox.docker.engine import translated
from featuredel.sandbox.docker.layers import Layer, Part, write_layer
from featuredel.scratch import scratch_directory
from featuredel.tarfiles import tarfile

CREATED = "2000-01-01T00:00:00Z"
RETRY_WHOLE = ("no such file", "not found", "does not exist")


@dataclass(frozen=True, slots=True)
class Image:
    """An image that the engine has."""

    name: str  # as it was asked for
    id: str  # sha256:...
    layers: tuple[str, ...]  # their digests, the lowest first
    architecture: str
    config: Mapping[str, Any]

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        found: Mapping[str, str] = self.config.get("Labels") or {}
        return found


def find(client: Any, name: str) -> Image | None:
    """Return the image of this name, id or digest, or None."""
    with translated(f"look for the image {name}"):
        try:
            told = client.api.inspect_image(name)
        except ImageNotFound:
            return None
    return Image(
        name,
        told["Id"],
        tuple(told["RootFS"].get("Layers") or ()),
        told["Architecture"],
        told.get("Config") or {},
    )


def assemble(
    client: Any, parent: Image | None, parts: Sequence[Part], tag: str, config: Mapping[str, Any],
    architecture: str = "",
) -> Image:  # fmt: skip
    """Make an image of `parent` and one layer more for each part, and name it `tag`.

    `config` is the image's own: user, variables, labels, directory.
    """
    with scratch_directory() as place:
        layers = [write_layer(part, place / f"{i}.tar") for i, part in enumerate(parts)]
        return load(client, parent, layers, tag, config, architecture, place)


def load(
    client: Any, parent: Image | None, layers: Sequence[Layer], tag: str,
    config: Mapping[str, Any], architecture: str, place: Path,
) -> Image:  # fmt: skip
    """Hand the engine an image of `parent` and `layers`; `place` is a directory for files."""
    below = parent.layers if parent else ()
    digests = [*below, *(layer.digest for layer in layers)]
    written = {
        "architecture": parent.architecture if parent else architecture,
        "os": "linux",
        "created": CREATED,
        "config": {**config},
        "rootfs": {"type": "layers", "diff_ids": digests},
        "history": [{"created": CREATED, "created_by": "featuredel"} for _ in digests],
    }
    data = json.dumps(written, sort_keys=True).encode()
    files = {layer.digest: layer.path for layer in layers}
    # The engine has the layers below: it looks for each by its digest before it reads one.
    said = _send(client, _archive(data, digests, files, tag, place))
    if parent and any(word in said.lower() for word in RETRY_WHOLE):  # some stores want them all
        whole = saved.layer_files(client, parent.id, place)
        said = _send(client, _archive(data, digests, {**files, **whole}, tag, place))
    image = find(client, tag)
    if image is None or list(image.layers) != digests:
        raise SandboxError(f"the engine did not take the image {tag}: {said}")
    return image


def _archive(
    data: bytes, digests: Sequence[str], files: Mapping[str, Path], tag: str, place: Path
) -> Path:
    name = hashlib.sha256(data).hexdigest()
    manifest = {
        "Config": f"{name}.json",
        "RepoTags": [tag],
        "Layers": [f"{digest.removeprefix('sha256:')}/layer.tar" for digest in digests],
    }
    path = place / "image.tar"
    with tarfile.open(path, "w") as archive:
        _put(archive, f"{name}.json", data)
        for digest, file in files.items():
            archive.add(file, f"{digest.removeprefix('sha256:')}/layer.tar")
        _put(archive, "manifest.json", json.dumps([manifest]).encode())
    return path


def _put(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def _send(client: Any, archive: Path) -> str:
    """Load an archive; return what the engine said against it, or ""."""
    with translated("load an image"), archive.open("rb") as file:
        try:
            lines = list(client.api.load_image(file))
        except APIError as error:
            return str(error.explanation)
    return " ".join(line["error"] for line in lines if "error" in line)
