"""The layers of an image one by one, as the engine saves them: what a later one hides is there.

Each layer becomes a directory. Whiteouts stay as the empty files that they are in a layer
(`.wh.NAME`); the image's configuration, with its history, variables and labels, is a file.
"""

import functools
import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from featuredel.errors import SandboxError
from featuredel.sandbox import SeenFile
from featuredel.sandbox.docker.engine import connect, translated
from featuredel.sandbox.seen import files_below
from featuredel.scratch import scratch_directory
from featuredel.tarfiles import tarfile

GZIP = b"\x1f\x8b"
BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class SavedLayer:
    """A layer, or what an image says of itself, in a directory."""

    name: str  # "layer 2 sha256:..."; "configuration"
    digest: str  # of the layer as a tar; "" for the configuration
    root: Path


@contextmanager
def saved_image(name: str) -> Iterator[tuple[SavedLayer, ...]]:
    """Yield the configuration and the layers of an image, the lowest first; they go at the end.

    Raises `SandboxError` without an engine or without such an image.
    """
    client = connect()
    try:
        with scratch_directory() as place:
            yield tuple(_laid_out(client, name, place))
    finally:
        client.close()


def layer_files(client: Any, name: str, place: Path) -> dict[str, Path]:
    """Save an image below `place`; return the uncompressed tar of each layer by its digest."""
    folder = place / "saved"
    folder.mkdir()
    _, manifest = _save(client, name, folder)
    found = {}
    for number, member in enumerate(manifest["Layers"]):
        path = folder / f"{number}.tar"
        found[_uncompressed(folder / "image" / member, path)] = path
    return found


@dataclass(frozen=True, slots=True)
class LayerOnDemand:
    """A layer of an image, laid out when it is read; see `Ground`."""

    digest: str
    write_tar: Callable[[str, Path], None] = field(compare=False)  # by the digest, to a new file

    @property
    def mark(self) -> str:
        """Its digest."""
        return self.digest

    @contextmanager
    def files(self) -> Iterator[Sequence[SeenFile]]:
        """Give its files; whiteouts stay what they are in a layer."""
        with scratch_directory() as place:
            plain, root = place / "layer.tar", place / "root"
            root.mkdir()
            self.write_tar(self.digest, plain)
            lay_out(plain, root)
            plain.unlink()
            yield tuple(files_below(root, ""))


@contextmanager
def layers_on_demand(
    client: Any, image: str, digests: Sequence[str]
) -> Iterator[tuple[LayerOnDemand, ...]]:
    """Yield the layers of an image, which is saved only if one of them is read."""
    with ExitStack() as stack:

        @functools.cache
        def saved() -> Mapping[str, Path]:
            place = stack.enter_context(scratch_directory())
            configuration, manifest = _save(client, image, place)
            members = (place / "image" / member for member in manifest["Layers"])
            return dict(zip(configuration["rootfs"]["diff_ids"], members, strict=True))

        def write_tar(digest: str, to: Path) -> None:
            if _uncompressed(saved()[digest], to) != digest:
                raise SandboxError(f"{image}: the engine saved another layer than {digest}")

        yield tuple(LayerOnDemand(digest, write_tar) for digest in digests)


def _laid_out(client: Any, name: str, place: Path) -> Iterator[SavedLayer]:
    configuration, manifest = _save(client, name, place)
    about = place / "configuration"
    about.mkdir()
    # as text, so that what is in it is not read as the escapes of JSON
    (about / "config.json").write_text(json.dumps(configuration, indent=1, ensure_ascii=False))
    (about / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False))
    yield SavedLayer("configuration", "", about)
    for number, member in enumerate(manifest["Layers"], start=1):
        plain = place / "layer.tar"
        digest = _uncompressed(place / "image" / member, plain)
        root = place / f"layer-{number}-{digest.removeprefix('sha256:')[:12]}"
        (place / "image" / member).unlink()
        root.mkdir()
        lay_out(plain, root)
        plain.unlink()
        yield SavedLayer(f"layer {number} {digest}", digest, root)


def _save(client: Any, name: str, place: Path) -> tuple[Any, Any]:
    with translated(f"save the image {name}"):
        blocks = client.api.get_image(name, chunk_size=BLOCK_BYTES)
        with (place / "image.tar").open("wb") as file:
            file.writelines(blocks)
    with tarfile.open(place / "image.tar") as archive:
        archive.extractall(place / "image", filter="data")
    (place / "image.tar").unlink()
    manifests = json.loads((place / "image" / "manifest.json").read_text())
    if len(manifests) != 1:
        raise SandboxError(f"{name}: {len(manifests)} images, not one")
    return json.loads((place / "image" / manifests[0]["Config"]).read_text()), manifests[0]


def _uncompressed(path: Path, to: Path) -> str:
    """Write the plain tar of a layer; return its digest."""
    real = path.resolve()  # older engines link the second of two layers with the same content
    with real.open("rb") as file:
        packed = file.read(2) == GZIP
    opened: Any = gzip.open if packed else open
    digest = hashlib.sha256()
    with opened(real, "rb") as source, to.open("wb") as target:
        while block := source.read(BLOCK_BYTES):
            digest.update(block)
            target.write(block)
    return f"sha256:{digest.hexdigest()}"


def lay_out(path: Path, root: Path) -> None:
    """Lay out a layer, a plain tar, in the empty directory `root`. Nothing is written elsewhere."""
    with tarfile.open(path, "r:") as archive:
        for entry in archive:
            _lay(archive, entry, root)


def _lay(archive: tarfile.TarFile, entry: tarfile.TarInfo, root: Path) -> None:
    """Lay a directory, file or link of a layer below `root`; a device or a pipe is left out."""
    parts = PurePosixPath(entry.name).parts
    if ".." in parts or entry.name.startswith("/"):
        raise SandboxError(f"a layer holds the path {entry.name!r}")
    path = root
    for part in parts[:-1]:
        path /= part
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
            path.mkdir()
    path = root.joinpath(*parts)
    if entry.isdir():
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
            path.mkdir()
        return
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if entry.issym():
        path.symlink_to(entry.linkname)
    elif entry.islnk():
        linked = root / entry.linkname
        # on its own name only: through a link it would be a file of this machine
        if linked.resolve().is_relative_to(root.resolve()) and linked.is_file():
            os.link(linked, path, follow_symlinks=False)
    elif entry.isreg():
        source: IO[bytes] | None = archive.extractfile(entry)
        assert source is not None
        with source, path.open("xb") as target:
            shutil.copyfileobj(source, target, BLOCK_BYTES)
