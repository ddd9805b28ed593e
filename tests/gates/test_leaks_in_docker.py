"""The gate no trace asks the sandbox what it shows: in Docker, the layers of an image."""

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from candidates import environment
from engine import docker_engine

from featuredel.errors import Rejected
from featuredel.gates.leaks import base_for, secrets
from featuredel.languages import front_end
from featuredel.leaks.base import Base
from featuredel.sandbox.docker import images, labels
from featuredel.sandbox.docker.back_end import Docker
from featuredel.sandbox.docker.engine import connect
from featuredel.sandbox.docker.layers import Part

pytestmark = [pytest.mark.sandbox, pytest.mark.docker]

CODE = b"""
def zorptastic_merge(alpha_quux, beta_frob):
    local_snark = 7919
    for boojum_key in sorted(alpha_quux):
        local_snark += alpha_quux[boojum_key] * beta_frob[0] if boojum_key else -1
    return local_snark
"""
DELETED = {"0/pkg/merge.py": CODE.decode()}


@pytest.fixture(scope="module")
def engine() -> Iterator[Docker]:
    with docker_engine() as back_end:
        yield back_end


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "other.py").write_text("def frob(x):\n    return x\n")
    return root


def base_on(files: Mapping[str, bytes], tmp_path: Path) -> Base:
    """Return the base of an environment with a marker, on a base image that holds `files` only."""
    (tmp_path / "prefix").mkdir()
    (tmp_path / "prefix" / "marker.py").write_bytes(b"of_the_environment = 1\n")
    with contextlib.closing(connect()) as client:
        image = images.assemble(
            client, None, [Part(files=files)], "featuredel/task:answer",
            {"Labels": labels.made("task")}, "amd64",
        )  # fmt: skip
    with contextlib.closing(Docker(image.id)) as docker:
        return base_for(front_end("python"), environment(tmp_path / "prefix"), docker, tmp_path)


def holds(base: Base, content: bytes) -> bool:
    return base.holds(hashlib.sha256(content).hexdigest())


def test_the_answer_in_the_base_image(engine: Docker, tree: Path, tmp_path: Path) -> None:
    base = base_on({"opt/old.py": CODE}, tmp_path)
    assert holds(base, CODE)
    with pytest.raises(Rejected, match="the answer stands elsewhere"):
        secrets(DELETED, tree, base)


def test_the_machine_is_no_part_of_it(engine: Docker, tree: Path, tmp_path: Path) -> None:
    base = base_on({"opt/word.txt": b"boojum_key"}, tmp_path)
    assert holds(base, b"of_the_environment = 1\n")
    assert not holds(base, Path("/bin/sh").read_bytes())
    found = {needle.text for needle in secrets(DELETED, tree, base).needles.secret}
    assert "local_snark" in found
    assert "boojum_key" not in found
