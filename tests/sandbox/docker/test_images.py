"""Images: what is in them, and that it is the same each time."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from featuredel import git
from featuredel.errors import SandboxError
from featuredel.sandbox import Command, Mount
from featuredel.sandbox.docker import images, labels, stock
from featuredel.sandbox.docker.back_end import Docker
from featuredel.sandbox.docker.engine import connect
from featuredel.sandbox.docker.layers import Part

pytestmark = pytest.mark.docker


@pytest.fixture
def client(docker: Docker) -> Iterator[Any]:
    with contextlib.closing(connect()) as found:
        yield found


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    root = tmp_path / "prefix"
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "tool").write_text("#!/bin/sh\necho tool\n")
    (root / "bin" / "tool").chmod(0o755)
    return root


def test_each_part_is_one_layer_with_neutral_history(
    docker: Docker, client: Any, environment: Path, tree: Path
) -> None:
    command = Command((), (), mounts=(Mount(environment, "/env", lasting=True),))
    below = docker.image(command.mounts)
    made = docker.task_image(command, (tree,), "test")
    assert made.layers[:-2] == below.layers  # what other harnesses look for, and the tree
    assert below.layers[:-1] == docker.image().layers
    history = client.api.history(made.id)
    assert {(entry["CreatedBy"], entry["Created"]) for entry in history} == {
        ("featuredel", 946684800)
    }
    assert len(history) == len(made.layers)
    assert made.config["User"] == "1000:1000"
    assert made.config["WorkingDir"] == "/workspace"
    assert made.labels[labels.KIND] == "task"


def test_the_same_parts_are_the_same_image(docker: Docker, client: Any, tree: Path) -> None:
    first = docker.task_image(Command((), ()), (tree,), "test")
    client.api.remove_image("featuredel/task:test")
    assert images.find(client, "featuredel/task:test") is None
    assert docker.task_image(Command((), ()), (tree,), "test").id == first.id


def test_a_solver_finds_the_tree_and_the_environment(
    docker: Docker, client: Any, environment: Path, tree: Path
) -> None:
    command = Command((), (), mounts=(Mount(environment, "/env", lasting=True),))
    made = docker.task_image(command, (tree,), "test")
    said = client.containers.run(
        made.id, ["sh", "-c", "id -un; pwd; tool; cat link; echo 2 > link && cat src/mod.py"],
        remove=True, network_mode="none", labels=labels.running(),
    )  # fmt: skip
    assert said.split() == [b"solver", b"/workspace", b"tool", b"x", b"=", b"1", b"2"]


def test_a_harness_that_is_root_finds_the_repository_in_testbed(
    docker: Docker, client: Any, tree: Path
) -> None:
    commit = git.commit_all(tree)
    made = docker.task_image(Command((), ()), (tree,), "test")
    said = client.containers.run(
        made.id, ["git", "rev-parse", "HEAD"], user="root", working_dir="/testbed",
        remove=True, network_mode="none", labels=labels.running(),
    )  # fmt: skip
    assert said.decode().strip() == commit


def test_what_lasts_is_a_layer_and_never_mounted(
    docker: Docker, environment: Path, tree: Path
) -> None:
    script = "tool; grep -c ' /env ' /proc/self/mountinfo; touch /env/x"
    command = Command(
        ("sh", "-c", script), layers=(tree,), mounts=(Mount(environment, "/env", lasting=True),)
    )
    result = docker.run(command)
    assert result.stdout == b"tool\n0\n"
    assert b"Read-only" in result.stderr


def test_a_changed_environment_is_another_image(docker: Docker, environment: Path) -> None:
    def image() -> images.Image:
        return Docker().image((Mount(environment, "/env", lasting=True),))

    first = image()
    assert image().id == first.id
    (environment / "more").touch()
    assert image().id != first.id


def test_an_engine_that_wants_all_layers_gets_them(
    client: Any, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = images.assemble(
        client, None, [Part({"a": tree})], "featuredel/task:test-a",
        {"Labels": labels.made("task")}, "amd64",
    )  # fmt: skip
    sizes: list[int] = []
    send = images._send

    def refusing(client: Any, archive: Path) -> str:
        sizes.append(archive.stat().st_size)
        return "no such file" if len(sizes) == 1 else send(client, archive)

    monkeypatch.setattr(images, "_send", refusing)
    above = images.assemble(
        client,
        below,
        [Part({"b": tree})],
        "featuredel/task:test-b",
        {"Labels": labels.made("task")},
    )
    assert above.layers[:1] == below.layers
    assert sizes[1] > sizes[0]


def test_a_base_is_taken_by_its_digest_alone(docker: Docker, client: Any, tree: Path) -> None:
    own = stock.base(client, "")
    assert stock.base(client, own.id).id == own.id
    assert Docker(own.id).run(Command(("true",), layers=(tree,))).exit_code == 0
    wrong = f"featuredel/base@sha256:{'0' * 64}"
    with pytest.raises(SandboxError, match=r"not on this machine.*there is sha256:.*docker pull"):
        stock.base(client, wrong)
    with pytest.raises(SandboxError, match=r"^base image sha256:0+: not on this machine"):
        Docker(f"sha256:{'0' * 64}").run(Command(("true",), layers=(tree,)))


def test_no_base_says_how_to_make_one(
    docker: Docker, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stock, "OWN_BASE", "featuredel/base:none")
    with pytest.raises(SandboxError, match="no base image: make base-image, or base_image:"):
        Docker().run(Command(("true",), layers=(tree,)))


def test_an_image_without_python_is_named_as_such(client: Any, tree: Path) -> None:
    bare = images.assemble(
        client, None, [Part({"a": tree})], "featuredel/task:bare",
        {"Labels": labels.made("task")}, "amd64",
    )  # fmt: skip
    with pytest.raises(SandboxError, match="python3"):
        Docker(bare.id).run(Command(("true",), layers=(tree,)))
