"""The images that there are: a base, the profile on it, environments on that, tasks on those."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docker.errors import APIError

from featuredel.errors import SandboxError
from featuredel.sandbox import ENVIRONMENT, HOME, WORKSPACE, Mount
from featuredel.sandbox.docker import images, labels
from featuredel.sandbox.docker.images import Image
from featuredel.sandbox.docker.layers import Part, fingerprint
from featuredel.sandbox.root import ETC, UID, VARIABLES

FORMAT = 1
"""Of the images; raised when the same parts come out otherwise."""

OWN_BASE = "featuredel/base:latest"
ETC_LAYER = {f"etc/{name}": text.encode() for name, text in ETC.items() if name != "hosts"}
OTHERS = Part(
    files={"etc/gitconfig": f"[safe]\n\tdirectory = {WORKSPACE}\n".encode()},
    links={"testbed": WORKSPACE},
)
"""What harnesses look for that work in /testbed, as root."""


def base(client: Any, wanted: str) -> Image:
    """Return the base image: `wanted` by its digest, or the one that `make base-image` made.

    Raises `SandboxError` if it cannot be had.
    """
    if not wanted:
        found = images.find(client, OWN_BASE)
        if found is None:
            raise SandboxError(
                "no base image: make base-image, or base_image: NAME@sha256:... in repos.yaml"
            )
        return found
    found = images.find(client, wanted) or _pulled(client, wanted)
    if found is None:
        other = images.find(client, wanted.partition("@")[0]) if "@" in wanted else None
        hint = f"; under that name there is {other.id}" if other else ""
        raise SandboxError(
            f"base image {wanted}: not on this machine and not in reach{hint}; docker pull or"
            " docker load it, or set base_image to one of `docker images --digests`"
        )
    return found


def _pulled(client: Any, wanted: str) -> Image | None:
    if "@" not in wanted:
        return None
    try:
        client.api.pull(wanted)
    except APIError:
        return None
    return images.find(client, wanted)


def profile(client: Any, below: Image) -> Image:
    """Return `below` with the accounts and directories that a sandbox has."""
    key = _key("profile", below.id)
    tag = f"featuredel/profile:{key}"
    # anybody may pass through the home of root, where interpreters of this machine may be mounted
    directories = {"root": 0, HOME.strip("/"): int(UID), WORKSPACE.strip("/"): int(UID)}
    part = Part(files=ETC_LAYER, directories=directories)
    return images.find(client, tag) or images.assemble(
        client, below, [part], tag, _config(labels.made("profile", key=key, base=below.id))
    )


def environment(
    client: Any, below: Image, mounts: Sequence[Mount], hidden: Sequence[str] = ()
) -> Image:
    """Return `below` with an interpreter and with an environment, each as one layer.

    `mounts` are of both; of the directories `hidden` only what other mounts lay there is seen.
    """
    environments = [mount for mount in mounts if mount.target == ENVIRONMENT]
    for group in ([mount for mount in mounts if mount.target != ENVIRONMENT], environments):
        if not group:
            continue
        targets = {mount.target.strip("/"): mount.source for mount in group}
        # modules of an interpreter were compiled with the times of their sources in them
        part = Part(
            targets,
            hidden=frozenset(path.strip("/") for path in hidden),
            keep_times=group is not environments,
        )
        marks = sorted((target, fingerprint(source)) for target, source in targets.items())
        key = _key("environment", below.id, *marks, sorted(part.hidden))
        tag = f"featuredel/environment:{key}"
        config = _config(labels.made("environment", key=key, base=below.id))
        below = images.find(client, tag) or images.assemble(client, below, [part], tag, config)
    return below


def task(client: Any, below: Image, layers: Sequence[Path], name: str) -> Image:
    """Return `below` with trees at /workspace, each as one layer; it starts with a shell.

    For harnesses that others wrote there is a layer below them.
    """
    tag = f"featuredel/task:{name}"
    parts = [OTHERS, *(Part({WORKSPACE.strip("/"): tree}, owner=int(UID)) for tree in layers)]
    config = _config(labels.made("task", base=below.id))
    return images.assemble(client, below, parts, tag, config)


def _config(own_labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        "User": f"{UID}:{UID}",
        "Env": [f"{name}={value}" for name, value in sorted(VARIABLES.items())],
        "WorkingDir": WORKSPACE,
        "Cmd": ["/bin/sh"],
        "Labels": dict(own_labels),
    }


def _key(*parts: object) -> str:
    return hashlib.sha256(repr((FORMAT, *parts)).encode()).hexdigest()[:16]
