"""What is removed, and what is not ours to remove."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from featuredel.sandbox.docker import images, labels
from featuredel.sandbox.docker.back_end import Docker
from featuredel.sandbox.docker.clean import clean
from featuredel.sandbox.docker.engine import connect
from featuredel.sandbox.docker.layers import Part
from featuredel.sandbox.docker.stock import OWN_BASE

pytestmark = pytest.mark.docker


@pytest.fixture
def client(docker: Docker) -> Iterator[Any]:
    with contextlib.closing(connect()) as found:
        yield found


def container(client: Any, marked: dict[str, str]) -> str:
    """Make a container that does nothing and was never started."""
    found = client.api.create_container(OWN_BASE, command=["true"], labels=marked)
    return str(found["Id"])


def there(client: Any, identity: str) -> bool:
    return any(found["Id"] == identity for found in client.api.containers(all=True))


def test_leftovers_of_a_killed_process_go_at_the_next_start(client: Any) -> None:
    child = subprocess.Popen(["sleep", "600"])
    left = container(client, labels.running(child.pid))
    Docker().close()
    assert there(client, left)
    child.kill()
    child.wait()
    Docker().close()
    assert not there(client, left)


def test_only_what_is_ours_is_removed(
    client: Any, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # marked as ours with another word, so that images of other tests stay
    monkeypatch.setattr("featuredel.sandbox.docker.clean.OURS", {"label": "featuredel.test"})
    marked = {"featuredel.test": "1"}
    images.assemble(client, None, [Part({"d": tree})], "test/b:1", {"Labels": marked}, "amd64")
    lower = images.assemble(
        client, None, [Part({"a": tree})], "test/a:1", {"Labels": marked}, "amd64"
    )
    images.assemble(client, lower, [Part({"b": tree})], "test/b:1", {"Labels": marked})
    images.assemble(client, None, [Part({"c": tree})], "test/c:1", {}, "amd64")
    ours, other = container(client, marked), container(client, {})
    network = client.api.create_network("featuredel-test", labels=marked)["Id"]
    client.api.create_volume("featuredel-test", labels=marked)
    try:
        removals = clean()
        assert [removal.what for removal in removals] == [
            *("container", "image", "image", "image", "network", "volume"),
        ]
        names = [removal.name.split() for removal in removals if removal.what == "image"]
        assert names[0][0] == "test/b:1"
        # the one that lost its name to another is the engine's to forget as well
        assert sorted(len(name) for name in names) == [1, 2, 2]
        assert not any(removal.kept for removal in removals)
        assert (there(client, ours), there(client, other)) == (False, True)
        assert images.find(client, "test/c:1") is not None
        assert images.find(client, "test/a:1") is None
        assert network not in [found["Id"] for found in client.api.networks()]
        assert clean() == []
    finally:
        client.api.remove_container(other, force=True)
        client.api.remove_image("test/c:1")
