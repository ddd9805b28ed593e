"""Images in which a later layer hides a file: as archives, laid out here or by the real engine."""

import hashlib
import io
import json
import tarfile
from pathlib import Path

from featuredel.leaks.plant import Making, Vector
from featuredel.leaks.plant.workshop import Workshop, copied

_NEUTRAL = "2000-01-01T00:00:00Z"


def _layer(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _layers(shop: Workshop) -> tuple[bytes, bytes]:
    """Return a layer with the code, and one whose whiteouts hide it again."""
    shown = {f"app/{p}": (shop.answer.root / p).read_bytes() for p in shop.answer.deleted}
    hidden = {_whiteout(name): b"" for name in shown}
    return _layer(shown), _layer({**hidden, "app/README": b"nothing here"})


def _whiteout(name: str) -> str:
    folder, _, last = name.rpartition("/")
    return f"{folder}/.wh.{last}"


def _by_hand(shop: Workshop, out: Path) -> None:
    """Lay out `docker save` and OCI images, layers plain, under gzip and under zstd."""
    layers = _layers(shop)
    config = _config(layers)
    names = [f"{_digest(layer)}/layer.tar" for layer in layers]
    manifest = [{"Config": "config.json", "RepoTags": ["planted:1"], "Layers": names}]
    files = {"config.json": config, "manifest.json": json.dumps(manifest).encode()}
    files |= dict(zip(names, layers, strict=True))
    (out / "save.tar").write_bytes(_layer(files))
    for how in ("gzip", "zstd"):
        packed = [_compressed(shop, layer, how) for layer in layers]
        (out / f"oci-{how}.tar").write_bytes(_layer(_oci(config, packed, how)))
    for name, content in _oci(config, list(layers), "").items():
        (out / "layout" / name).parent.mkdir(parents=True, exist_ok=True)
        (out / "layout" / name).write_bytes(content)


def _oci(config: bytes, layers: list[bytes], how: str) -> dict[str, bytes]:
    kind = "application/vnd.oci.image.layer.v1.tar" + (f"+{how}" if how else "")
    manifest = {
        "schemaVersion": 2,
        "config": _described("application/vnd.oci.image.config.v1+json", config),
        "layers": [_described(kind, layer) for layer in layers],
    }
    text = json.dumps(manifest).encode()
    index = {
        "schemaVersion": 2,
        "manifests": [_described("application/vnd.oci.image.manifest.v1+json", text)],
    }
    blobs = {f"blobs/sha256/{_digest(blob)}": blob for blob in (config, text, *layers)}
    layout = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}'}
    return layout | {"index.json": json.dumps(index).encode()} | blobs


def _config(layers: tuple[bytes, ...]) -> bytes:
    return json.dumps(
        {
            "architecture": "amd64", "os": "linux", "created": _NEUTRAL, "config": {},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{_digest(x)}" for x in layers]},
            "history": [{"created": _NEUTRAL, "created_by": "COPY . /app"}] * len(layers),
        }
    ).encode()  # fmt: skip


def _described(kind: str, blob: bytes) -> dict[str, object]:
    return {"mediaType": kind, "digest": f"sha256:{_digest(blob)}", "size": len(blob)}


def _digest(blob: bytes) -> str:
    return hashlib.sha256(blob).hexdigest()


def _compressed(shop: Workshop, blob: bytes, how: str) -> bytes:
    (shop.scratch / "blob").write_bytes(blob)
    return shop.trusted([how, "-q", "-c", "blob"], shop.scratch)


def _by_engine(shop: Workshop, out: Path) -> None:
    """Let the engine save an image whose second layer writes over what the first one holds."""
    tag = f"featuredel-plant:{_digest(str(shop.scratch).encode())[:12]}"
    context = shop.scratch / "context"
    for path in shop.answer.deleted:
        copied(shop.answer.root / path, context / "with" / path)
        (context / "without" / path).parent.mkdir(parents=True, exist_ok=True)
        (context / "without" / path).touch()
    (context / "Dockerfile").write_text("FROM scratch\nCOPY with /app\nCOPY without /app\n")
    try:
        shop.trusted(["docker", "build", "--quiet", "--tag", tag, context], out)
        shop.trusted(["docker", "save", "--output", out / "saved.tar", tag], out)
    finally:
        shop.trusted(["docker", "image", "rm", "--force", tag], out)


MAKINGS = (
    Making(
        "image layers", "images", _by_hand,
        (
            Vector("image-saved", ("save.tar",)),
            Vector("image-oci-gzip", ("oci-gzip.tar",)),
            Vector("image-oci-zstd", ("oci-zstd.tar",)),
            Vector("image-oci-folder", ("layout/**/*",)),
        ),
        needs=("program gzip", "program zstd"),
        sampled=True,
    ),
    Making(
        "image of an engine", "images", _by_engine,
        (Vector("image-docker-save", ("saved.tar",)),),
        needs=("engine",),
    ),
)  # fmt: skip
