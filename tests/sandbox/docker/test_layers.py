import os
from pathlib import Path

from featuredel.sandbox.docker.layers import EPOCH_S, Part, fingerprint, write_layer
from featuredel.tarfiles import tarfile


def test_the_same_content_is_the_same_layer(tree: Path, tmp_path: Path) -> None:
    part = Part({"opt/here": tree}, owner=1000)
    first = write_layer(part, tmp_path / "1.tar")
    os.utime(tree / "run.sh", (1, 1))
    (tree / "run.sh").chmod(0o700)
    assert write_layer(part, tmp_path / "2.tar").digest == first.digest
    (tree / "run.sh").write_text("#!/bin/sh\n")
    assert write_layer(part, tmp_path / "3.tar").digest != first.digest


def test_what_a_layer_holds(tree: Path, tmp_path: Path) -> None:
    (tree / "src" / "mod.py").chmod(0o4600)
    os.mkfifo(tree / "pipe")
    part = Part({"opt/here": tree}, links={"there": "/opt/here"}, owner=1000)
    write_layer(part, tmp_path / "layer.tar")
    with tarfile.open(tmp_path / "layer.tar") as archive:
        found = {entry.name: (entry.mode, entry.uid, entry.linkname) for entry in archive}
        times = {entry.mtime for entry in archive}
    assert found == {
        "opt": (0o755, 0, ""),
        "opt/here": (0o755, 1000, ""),
        "opt/here/link": (0o777, 1000, "src/mod.py"),
        "opt/here/run.sh": (0o755, 1000, ""),
        "opt/here/src": (0o755, 1000, ""),
        "opt/here/src/mod.py": (0o644, 1000, ""),
        "there": (0o777, 1000, "/opt/here"),
    }
    assert times == {EPOCH_S}


def test_what_is_hidden_is_empty_but_for_what_is_laid_there(tree: Path, tmp_path: Path) -> None:
    (tree / "src" / "deep").mkdir()
    (tree / "src" / "deep" / "f").touch()
    part = Part(
        {"opt": tree, "opt/src/mod.py": tree / "src" / "mod.py"}, hidden=frozenset({"opt/src"})
    )
    write_layer(part, tmp_path / "layer.tar")
    with tarfile.open(tmp_path / "layer.tar") as archive:
        names = archive.getnames()
    assert names == ["opt", "opt/link", "opt/run.sh", "opt/src", "opt/src/mod.py"]


def test_a_fingerprint_tells_states_apart(tree: Path) -> None:
    before = fingerprint(tree)
    assert fingerprint(tree) == before
    (tree / "run.sh").write_text("other\n")
    assert fingerprint(tree) != before
