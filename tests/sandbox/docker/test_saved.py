"""An image read layer by layer."""

import contextlib
import io
from pathlib import Path

import pytest

from featuredel.errors import SandboxError
from featuredel.sandbox.docker import images, labels
from featuredel.sandbox.docker.back_end import Docker
from featuredel.sandbox.docker.engine import connect
from featuredel.sandbox.docker.layers import Layer, Part, digest_of, write_layer
from featuredel.sandbox.docker.saved import lay_out, saved_image
from featuredel.tarfiles import tarfile

NAME = "featuredel/task:saved"


@pytest.mark.docker
def test_a_file_under_a_whiteout_is_found_in_the_layer_below(
    docker: Docker, tree: Path, tmp_path: Path
) -> None:
    lower = write_layer(Part({"app": tree}), tmp_path / "lower.tar")
    with tarfile.open(tmp_path / "upper.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("app/src/.wh.mod.py"))
    upper = Layer(tmp_path / "upper.tar", digest_of(tmp_path / "upper.tar"))
    config = {"Env": ["ANSWER=42"], "Labels": labels.made("task")}
    with contextlib.closing(connect()) as client:
        images.load(client, None, [lower, upper], NAME, config, "amd64", tmp_path)
    with saved_image(NAME) as (about, first, second):
        assert (first.digest, second.digest) == (lower.digest, upper.digest)
        assert (first.root / "app/src/mod.py").read_text() == "x = 1\n"
        assert (first.root / "app/link").readlink() == Path("src/mod.py")
        assert [path.name for path in second.root.rglob("*") if path.is_file()] == [".wh.mod.py"]
        assert "ANSWER=42" in (about.root / "config.json").read_text()
        root = first.root
    assert not root.exists()


def test_links_of_a_layer_lead_nowhere_outside(tmp_path: Path) -> None:
    path, root = tmp_path / "layer.tar", tmp_path / "root"
    root.mkdir()
    with tarfile.open(path, "w") as archive:
        link = tarfile.TarInfo("out")
        link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
        archive.addfile(link)
        below = tarfile.TarInfo("out/planted")
        below.size = 1
        archive.addfile(below, io.BytesIO(b"x"))
        hard = tarfile.TarInfo("hard")
        hard.type, hard.linkname = tarfile.LNKTYPE, "out/planted"
        archive.addfile(hard)
        outside = tarfile.TarInfo("key")
        outside.type, outside.linkname = tarfile.LNKTYPE, "../secret"
        archive.addfile(outside)
    (tmp_path / "secret").write_text("secret")
    lay_out(path, root)
    assert sorted(child.name for child in tmp_path.iterdir()) == ["layer.tar", "root", "secret"]
    assert sorted(child.name for child in root.iterdir()) == ["hard", "out"]
    assert (root / "hard").read_text() == "x"


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/x"])
def test_a_path_that_leads_out_is_an_error(name: str, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    with tarfile.open(tmp_path / "layer.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo(name))
    with pytest.raises(SandboxError, match="a layer holds the path"):
        lay_out(tmp_path / "layer.tar", tmp_path / "root")


@pytest.mark.docker
def test_an_unknown_image_is_named(docker: Docker) -> None:
    with pytest.raises(SandboxError, match="cannot save the image featuredel/nothing"):
        saved_image("featuredel/nothing").__enter__()
