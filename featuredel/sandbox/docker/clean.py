"""What there is of ours in the engine, and its removal: by label, never by name."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from docker.errors import APIError, NotFound

from featuredel import scratch
from featuredel.sandbox.docker import container, labels
from featuredel.sandbox.docker.engine import connect, translated

UNTAGGED = "<none>:<none>"
OURS = {"label": labels.KIND}


@dataclass(frozen=True, slots=True)
class Removal:
    """One thing of ours, and what became of it."""

    what: Literal["container", "image", "network", "volume"]
    name: str
    kept: str = ""  # why it is still there


def sweep(client: Any) -> None:
    """Remove the containers and pipes of processes that were killed before they could."""
    scratch.sweep()
    for found in _containers(client):
        if labels.is_abandoned(found["Labels"]):
            container.remove(client, found["Id"])


def clean(*, keep_base: bool = False) -> list[Removal]:
    """Remove all that is ours, but what belongs to a process that is still there.

    With `keep_base` base images stay as well, which take minutes to build.

    Raises `SandboxError` without an engine.
    """
    client = connect()
    try:
        return [
            *_clean_containers(client), *_clean_images(client, keep_base), *_clean_others(client),
        ]  # fmt: skip
    finally:
        client.close()


def _containers(client: Any) -> list[Any]:
    with translated("list containers"):
        found: list[Any] = client.api.containers(all=True, filters=OURS)
    return found


def _clean_containers(client: Any) -> Iterator[Removal]:
    for found in _containers(client):
        name = found["Id"][:12]
        if found["State"] == "running" and not labels.is_abandoned(found["Labels"]):
            yield Removal("container", name, "its owner is at work")
        else:
            container.remove(client, found["Id"])
            yield Removal("container", name)


def _clean_images(client: Any, keep_base: bool) -> Iterator[Removal]:
    """Remove images, those that stand on others first."""
    with translated("list images"):
        found = client.api.images(all=False, filters=OURS)
    if keep_base:
        found = [image for image in found if image["Labels"][labels.KIND] != "base"]
    for image in sorted(found, key=lambda one: -_depth(client, one["Id"])):
        short = image["Id"].removeprefix("sha256:")[:12]
        for name in [tag for tag in image["RepoTags"] or () if tag != UNTAGGED] or [image["Id"]]:
            shown = short if name == image["Id"] else f"{name} {short}"
            try:
                client.api.remove_image(name)
            except NotFound:
                continue
            except APIError as error:
                yield Removal("image", shown, str(error.explanation))
            else:
                yield Removal("image", shown)


def _depth(client: Any, image: str) -> int:
    with translated("look at an image"):
        return len(client.api.inspect_image(image)["RootFS"].get("Layers") or ())


def _clean_others(client: Any) -> Iterator[Removal]:
    with translated("list networks and volumes"):
        networks = client.api.networks(filters=OURS)
        volumes = client.api.volumes(filters=OURS)["Volumes"] or []
    for network in networks:
        with translated("remove a network"):
            client.api.remove_network(network["Id"])
        yield Removal("network", network["Name"])
    for volume in volumes:
        with translated("remove a volume"):
            client.api.remove_volume(volume["Name"])
        yield Removal("volume", volume["Name"])
