"""Trees: the hash is git's own, and bytes survive."""

import os
import subprocess
from pathlib import Path

import pytest

from featuredel import trees
from featuredel.tarfiles import tarfile


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with everything that can go wrong in it."""
    root = tmp_path / "tree"
    (root / "pkg" / "deep").mkdir(parents=True)
    (root / "empty" / "emptier").mkdir(parents=True)
    (root / "pkg" / "__init__.py").write_bytes(b"")
    (root / "pkg" / "crlf.py").write_bytes(b"a = 1\r\nb = 2\r\n")
    (root / "pkg" / "latin.py").write_bytes(b"# coding: latin-1\nx = '\xe9'\n")
    (root / "pkg" / "deep" / "data.bin").write_bytes(bytes(range(256)))
    (root / "pkg.py").write_bytes(b"before the directory in git's order\n")
    (root / "pkg-x").write_bytes(b"and this one too\n")
    (root / "run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("pkg/crlf.py")
    (root / "dangling").symlink_to("nowhere")
    (root / "linkdir").symlink_to("pkg", target_is_directory=True)
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9.txt")).write_bytes(b"name in latin-1\n")
    (root / "naïve \n name").write_bytes(b"name with a line break\n")
    return root


def git(root: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    return subprocess.run(
        ["git", *arguments], cwd=root, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_tree_hash_is_what_git_writes(tree: Path) -> None:
    expected_before_git = trees.tree_hash(tree)
    git(tree, "init", "-q")
    git(tree, "add", "-A", "-f")
    assert trees.tree_hash(tree) == git(tree, "write-tree") == expected_before_git


def test_tree_hash_of_nothing_is_the_empty_tree(tmp_path: Path) -> None:
    assert trees.tree_hash(tmp_path) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_tree_hash_sees_modes_and_links(tree: Path) -> None:
    before = trees.tree_hash(tree)
    (tree / "run.sh").chmod(0o644)
    without_mode = trees.tree_hash(tree)
    (tree / "link").unlink()
    (tree / "link").symlink_to("pkg/latin.py")
    assert len({before, without_mode, trees.tree_hash(tree)}) == 3


def test_files_are_sorted_and_skip_only_the_top_git(tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".git" / "config").write_bytes(b"")
    (tree / "pkg" / ".git").mkdir()
    (tree / "pkg" / ".git" / "kept").write_bytes(b"")
    os.mkfifo(tree / "pipe")
    found = list(trees.files(tree))
    assert found == sorted(found, key=trees.name_bytes)
    assert "pkg/.git/kept" in found
    assert "linkdir" in found
    assert "caf\udce9.txt" in found
    assert not any(path.startswith((".git/", "linkdir/", "empty", "pipe")) for path in found)


def test_build_tree_applies_edits(tree: Path, tmp_path: Path) -> None:
    dest = tmp_path / "built"
    trees.build_tree(
        tree,
        {
            "run.sh": b"#!/bin/bash\n",
            "pkg/deep/data.bin": None,
            "new/file.py": b"x = 1\n",
            "link": b"no longer a link\n",
        },
        dest,
    )
    assert (dest / "run.sh").read_bytes() == b"#!/bin/bash\n"
    assert trees.git_mode(dest / "run.sh") == trees.MODE_EXECUTABLE
    assert not (dest / "pkg" / "deep").exists()
    assert (dest / "new" / "file.py").read_bytes() == b"x = 1\n"
    assert trees.git_mode(dest / "link") == trees.MODE_FILE
    assert (tree / "pkg" / "crlf.py").read_bytes() == b"a = 1\r\nb = 2\r\n"
    assert (dest / "pkg" / "crlf.py").samefile(tree / "pkg" / "crlf.py")
    assert (dest / "dangling").is_symlink()


def test_build_tree_leaves_the_base_alone(tree: Path, tmp_path: Path) -> None:
    before = trees.tree_hash(tree)
    trees.build_tree(tree, {"pkg/crlf.py": b"changed", "pkg.py": None}, tmp_path / "built")
    assert trees.tree_hash(tree) == before


def test_build_tree_without_edits_is_the_same_tree(tree: Path, tmp_path: Path) -> None:
    trees.build_tree(tree, {}, tmp_path / "built")
    assert trees.tree_hash(tmp_path / "built") == trees.tree_hash(tree)


def test_build_tree_turns_a_directory_into_a_file(tree: Path, tmp_path: Path) -> None:
    trees.build_tree(tree, {"pkg/deep/data.bin": None, "pkg/deep": b"file"}, tmp_path / "built")
    assert (tmp_path / "built" / "pkg" / "deep").read_bytes() == b"file"


@pytest.mark.parametrize("path", ["../out", "/etc/out", "a/../../out", "", "linkdir/crlf.py"])
def test_build_tree_refuses_paths_that_leave(tree: Path, tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        trees.build_tree(tree, {path: b""}, tmp_path / "built")


def test_pack_and_unpack_keep_everything(tree: Path, tmp_path: Path) -> None:
    packed = trees.pack(tree)
    trees.unpack(packed, tmp_path / "again")
    assert trees.tree_hash(tmp_path / "again") == trees.tree_hash(tree)
    os.utime(tree / "run.sh", (1, 1))
    assert trees.pack(tree) == packed == trees.pack(tmp_path / "again")


def test_pack_keeps_long_names(tmp_path: Path) -> None:
    path = tmp_path / "tree" / ("d" * 120) / ("é" * 100)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    trees.unpack(trees.pack(tmp_path / "tree"), tmp_path / "again")
    assert list(trees.files(tmp_path / "again")) == list(trees.files(tmp_path / "tree"))


def test_unpack_refuses_to_leave(tmp_path: Path) -> None:
    archive = tmp_path / "bad.tar"
    with tarfile.open(archive, "w") as tar:
        tar.addfile(tarfile.TarInfo("../out"))
    with pytest.raises(tarfile.FilterError):
        trees.unpack(archive.read_bytes(), tmp_path / "dest")
    assert not (tmp_path / "out").exists()
