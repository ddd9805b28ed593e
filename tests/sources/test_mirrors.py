"""Mirrors: pins become commits, and the tree of a commit comes out byte for byte."""

import datetime
import os
import subprocess
import time
from pathlib import Path

import pytest

from featuredel import git, trees
from featuredel.errors import Rejected, SourceError, UsageError
from featuredel.sources import mirrors
from featuredel.sources.archives import Bounds

BOUNDS = Bounds(file_bytes=10_000, tree_bytes=100_000, files=100)


def run(root: Path, *arguments: str) -> str:
    """Run git in a repository of the test's own making."""
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        **{f"GIT_{who}_NAME": "a" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "a@example.com" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_DATE": "2021-03-04T23:30:00-0200" for who in ("AUTHOR", "COMMITTER")},
    }
    return subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments],
        cwd=root,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def commit(root: Path, message: str = "x") -> str:
    run(root, "add", "--all", "--force")
    run(root, "commit", "--quiet", "--allow-empty", "-m", message)
    return run(root, "rev-parse", "HEAD")


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    """A repository with a tag on its first commit and a branch on its second."""
    root = tmp_path / "upstream"
    root.mkdir()
    run(root, "init", "--quiet", "-b", "trunk")
    run(root, "config", "uploadpack.allowFilter", "true")
    (root / "crlf.py").write_bytes(b"a = 1\r\n")
    (root / "run").write_bytes(b"#!/bin/sh\n")
    (root / "run").chmod(0o755)
    (root / "link").symlink_to("crlf.py")
    (root / ".gitattributes").write_bytes(
        b"* text=auto ident\nhidden export-ignore\nsubst export-subst\n"
    )
    (root / "hidden").write_bytes(b"kept\n")
    (root / "subst").write_bytes(b"$Format:%H$ $Id$\n")
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9")).write_bytes(b"\xff\n")
    run(root, "-c", "core.autocrlf=false", "config", "core.attributesFile", "/dev/null")
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text("* -text -ident\n")
    commit(root)
    run(root, "tag", "-a", "v1.0", "-m", "one")
    (root / "later.py").write_bytes(b"b = 1\n")
    commit(root)
    run(root, "branch", "topic/one")
    return root


def mirror_of(upstream: Path, tmp_path: Path) -> mirrors.Mirror:
    return mirrors.mirror(f"file://{upstream}", tmp_path / "mirrors")


def export(source: mirrors.Mirror, revision: str, tmp_path: Path) -> Path:
    dest = tmp_path / "dest"
    pinned = mirrors.resolve(source, revision)
    mirrors.export(source, pinned, dest, BOUNDS, tmp_path / "mirrors")
    return dest


def test_pins_become_commits(upstream: Path, tmp_path: Path) -> None:
    source = mirror_of(upstream, tmp_path)
    first, second = run(upstream, "rev-parse", "HEAD~1"), run(upstream, "rev-parse", "HEAD")
    assert mirrors.resolve(source, "v1.0") == first
    assert mirrors.resolve(source, first) == first
    assert mirrors.resolve(source, first[:9]) == first
    assert mirrors.resolve(source, "topic/one") == second
    assert mirrors.resolve(source, "trunk") == second
    assert mirrors.resolve(source, "") == second


@pytest.mark.parametrize("revision", ["v9", "trunk~1", "0" * 40, "abcdef1", "HEAD", "refs/heads"])
def test_pins_that_are_not_there(upstream: Path, tmp_path: Path, revision: str) -> None:
    with pytest.raises(UsageError, match="has no commit") as caught:
        mirrors.resolve(mirror_of(upstream, tmp_path), revision)
    assert revision in str(caught.value)


def test_a_branch_moves_and_a_commit_does_not(upstream: Path, tmp_path: Path) -> None:
    source = mirror_of(upstream, tmp_path)
    before = mirrors.resolve(source, "trunk")
    (upstream / "later.py").write_bytes(b"b = 2\n")
    after = commit(upstream)
    assert mirrors.resolve(source, "trunk") == after != before
    upstream.rename(tmp_path / "gone")
    assert mirrors.resolve(source, before) == before  # nothing has to be reached for it
    with pytest.raises(UsageError, match="does not"):
        mirrors.resolve(source, "trunk")


def test_a_mirror_survives_a_kill(upstream: Path, tmp_path: Path) -> None:
    source = mirror_of(upstream, tmp_path)
    before = mirrors.resolve(source, "trunk")
    for name in ("config.lock", "packed-refs.lock", "refs/heads/trunk.lock"):
        (source.git_dir / name).write_bytes(b"")
    (upstream / "later.py").write_bytes(b"b = 3\n")
    commit(upstream)
    assert mirrors.resolve(source, "trunk") != before


def test_a_commit_that_no_branch_leads_to(upstream: Path, tmp_path: Path) -> None:
    lost = run(upstream, "commit-tree", "HEAD^{tree}", "-m", "lost")
    assert mirrors.resolve(mirror_of(upstream, tmp_path), lost) == lost


def test_the_tree_comes_out_byte_for_byte(upstream: Path, tmp_path: Path) -> None:
    dest = export(mirror_of(upstream, tmp_path), "v1.0", tmp_path)
    assert trees.tree_hash(dest) == run(upstream, "rev-parse", "v1.0^{tree}")
    assert (dest / "crlf.py").read_bytes() == b"a = 1\r\n"
    assert (dest / "subst").read_bytes() == b"$Format:%H$ $Id$\n"
    assert (dest / "hidden").exists()
    assert not (dest / ".git").exists()


def test_contents_are_fetched_when_they_are_needed(upstream: Path, tmp_path: Path) -> None:
    source = mirror_of(upstream, tmp_path)
    pinned = mirrors.resolve(source, "v1.0")
    arguments = ["rev-list", "--objects", "--all", "--missing=print"]
    assert b"?" in git.run(source.git_dir, arguments)
    mirrors.export(source, pinned, tmp_path / "dest", BOUNDS, tmp_path / "mirrors")
    upstream.rename(tmp_path / "gone")
    mirrors.export(source, pinned, tmp_path / "again", BOUNDS, tmp_path / "mirrors")
    assert trees.tree_hash(tmp_path / "again") == trees.tree_hash(tmp_path / "dest")


def test_what_git_knows_of_a_commit(upstream: Path, tmp_path: Path) -> None:
    source = mirror_of(upstream, tmp_path)
    pinned = mirrors.resolve(source, "trunk")
    assert mirrors.describe(source, pinned) == ("v1.0", 1)
    assert mirrors.commit_date(source, pinned) == datetime.date(2021, 3, 5)


def test_an_empty_repository(tmp_path: Path) -> None:
    root = tmp_path / "upstream"
    root.mkdir()
    run(root, "init", "--quiet")
    for revision in ("", "main"):
        with pytest.raises(Rejected, match=r"^empty repository"):
            mirrors.resolve(mirror_of(root, tmp_path), revision)


def test_submodules_of_submodules(upstream: Path, tmp_path: Path) -> None:
    middle, top = tmp_path / "middle", tmp_path / "top"
    for root, below, url in ((middle, "in/ner", str(upstream)), (top, "lib", "../middle")):
        root.mkdir()
        run(root, "init", "--quiet", "-b", "main")
        run(
            root,
            "submodule",
            "--quiet",
            "add",
            "--name",
            below,
            f"file://{tmp_path}/{Path(url).name}",
            below,
        )
        run(root, "config", "--file", ".gitmodules", f"submodule.{below}.url", url)
        commit(root)
    dest = export(mirror_of(top, tmp_path), "main", tmp_path)
    assert (dest / "lib" / "in" / "ner" / "later.py").read_bytes() == b"b = 1\n"
    assert not list(dest.rglob(".git"))


@pytest.mark.parametrize(
    "url", ["ext::sh -c 'touch ran'", "-uevil", "--upload-pack=x", "ftp://example.org/x", "data"]
)
def test_submodules_from_nowhere(tmp_path: Path, url: str) -> None:
    root = tmp_path / "upstream"
    root.mkdir()
    run(root, "init", "--quiet", "-b", "main")
    (root / ".gitmodules").write_text(f'[submodule "x"]\n\tpath = x\n\turl = "{url}"\n')
    run(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},x")
    run(root, "add", ".gitmodules")
    run(root, "commit", "--quiet", "-m", "x")
    with pytest.raises(Rejected, match=r"^unsafe repository: the submodule 'x' is at"):
        export(mirror_of(root, tmp_path), "main", tmp_path)


def test_a_submodule_that_is_gone(tmp_path: Path) -> None:
    root = tmp_path / "upstream"
    root.mkdir()
    run(root, "init", "--quiet", "-b", "main")
    (root / ".gitmodules").write_text('[submodule "x"]\n\tpath = x\n\turl = ../gone\n')
    run(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},x")
    run(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},leftover")
    run(root, "add", ".gitmodules")
    run(root, "commit", "--quiet", "-m", "x")
    with pytest.raises(Rejected, match=r"^missing submodule: 'x'"):
        export(mirror_of(root, tmp_path), "main", tmp_path)


def test_large_files_kept_elsewhere(upstream: Path, tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    (upstream / "data.bin").write_bytes(pointer)
    commit(upstream)
    export(mirror_of(upstream, tmp_path), "trunk", tmp_path)  # a file that looks like one
    with (upstream / ".gitattributes").open("a") as attributes:
        attributes.write("*.bin filter=lfs\n")
    commit(upstream)
    (tmp_path / "dest").rename(tmp_path / "first")
    with pytest.raises(Rejected, match=r"^content in Git LFS: data\.bin$"):
        export(mirror_of(upstream, tmp_path), "trunk", tmp_path)


def test_a_link_out_of_the_tree(upstream: Path, tmp_path: Path) -> None:
    (upstream / "out").symlink_to("/etc/passwd")
    commit(upstream)
    with pytest.raises(Rejected, match=r"^unsafe repository: a link out of the tree: 'out'"):
        export(mirror_of(upstream, tmp_path), "trunk", tmp_path)


def test_a_tree_too_large(upstream: Path, tmp_path: Path) -> None:
    (upstream / "big").write_bytes(b"x" * 10_001)
    commit(upstream)
    with pytest.raises(Rejected, match=r"^too large: 'big' has 10,001 bytes"):
        export(mirror_of(upstream, tmp_path), "trunk", tmp_path)


def test_what_may_pass_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def fail(git_dir: Path, arguments: list[str], **_: object) -> bytes:
        if "fetch" in arguments:
            calls.append(arguments)
            raise git.GitError("fetch", "fatal: unable to access: Could not resolve host: x\n")
        return b""

    monkeypatch.setattr(git, "run", fail)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with pytest.raises(SourceError, match="Could not resolve host") as caught:
        mirrors.resolve(mirrors.mirror("https://example.invalid/a", tmp_path), "main")
    assert "\n" not in str(caught.value)
    assert len(calls) == 3


def test_the_files_that_a_checkout_tracks(upstream: Path, tmp_path: Path) -> None:
    (upstream / "untracked").write_bytes(b"")
    found = mirrors.tracked_files(upstream)
    assert found is not None
    assert "crlf.py" in found
    assert "caf\udce9" in found
    assert "untracked" not in found
    assert mirrors.tracked_files(tmp_path) is None
    (upstream / "sub" / "dir").mkdir(parents=True)
    (upstream / "sub" / "dir" / "untracked").write_bytes(b"")
    assert mirrors.tracked_files(upstream / "sub" / "dir") is None
    (upstream / "sub" / "dir" / "x.py").write_bytes(b"")
    run(upstream, "add", "sub/dir/x.py")
    assert mirrors.tracked_files(upstream / "sub") == ("dir/x.py",)
    run(upstream, "worktree", "add", "--quiet", str(tmp_path / "second"), "topic/one")
    assert mirrors.tracked_files(tmp_path / "second") == found
