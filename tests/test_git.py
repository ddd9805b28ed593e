"""Patches and the first commit: bytes survive, and nothing of a repository runs."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from featuredel import git, trees


@pytest.fixture
def base(tmp_path: Path) -> Path:
    root = tmp_path / "base"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "crlf.py").write_bytes(b"a = 1\r\nb = 2\r\nc = 3\r\n")
    (root / "pkg" / "mixed.py").write_bytes(b"a = 1\r\nb = 2\nc = '\xe9'")
    (root / "pkg" / "old.py").write_bytes(b"gone = True\n")
    (root / "data.bin").write_bytes(bytes(range(256)) * 4)
    (root / "run.sh").write_bytes(b"#!/bin/sh\necho\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("pkg/crlf.py")
    (root / ".gitattributes").write_bytes(b"* text=auto eol=crlf\n*.py filter=evil ident\n")
    (root / ".gitignore").write_bytes(b"*.bin\n")
    Path(os.fsdecode(os.fsencode(root) + b'/caf\xe9 "x".txt')).write_bytes(b"one\n")
    return root


EDITS: dict[str, bytes | None] = {
    "pkg/crlf.py": b"a = 1\r\nc = 3\r\n",
    "pkg/mixed.py": b"a = 1\r\nc = '\xe9' # $Id$\n",
    "pkg/old.py": None,
    "data.bin": bytes(range(255, -1, -1)),
    "run.sh": b"#!/bin/sh\n",
    "link": b"a file now\n",
    "new/file with space.py": b"x = 1\n",
    "empty.py": b"",
    'caf\udce9 "x".txt': b"two\n",
}


def test_a_patch_takes_the_base_to_the_edited_tree(base: Path, tmp_path: Path) -> None:
    trees.build_tree(base, EDITS, tmp_path / "expected")
    trees.build_tree(base, {}, tmp_path / "patched")
    before = trees.tree_hash(base)
    git.apply(git.diff(base, EDITS), tmp_path / "patched")
    assert trees.tree_hash(tmp_path / "patched") == trees.tree_hash(tmp_path / "expected")
    assert trees.tree_hash(base) == before  # though its files were hard-linked


def test_a_patch_and_its_inverse(base: Path, tmp_path: Path) -> None:
    trees.build_tree(base, EDITS, tmp_path / "edited")
    inverse = {
        path: trees.read(base, path) if os.path.lexists(base / path) else None
        for path in EDITS
        if path != "link"
    }
    git.apply(git.diff(tmp_path / "edited", inverse), tmp_path / "edited")
    trees.build_tree(base, {"link": b"a file now\n"}, tmp_path / "expected")
    assert trees.tree_hash(tmp_path / "edited") == trees.tree_hash(tmp_path / "expected")


def test_a_patch_has_the_usual_form(base: Path) -> None:
    patch = git.diff(base, {"pkg/old.py": None, "pkg/new.py": b"x = 1\n"})
    assert patch.startswith(b"diff --git a/pkg/new.py b/pkg/new.py\nnew file mode 100644\nindex ")
    assert b"\n--- a/pkg/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone = True\n" in patch
    assert b"index " + b"0" * 40 + b".." in patch


def test_a_patch_is_deterministic_whatever_the_order(base: Path) -> None:
    assert git.diff(base, EDITS) == git.diff(base, dict(reversed(EDITS.items())))


@pytest.mark.parametrize("edits", [{}, {"absent.py": None}, {"run.sh": b"#!/bin/sh\necho\n"}])
def test_no_change_is_no_patch(base: Path, edits: dict[str, bytes | None]) -> None:
    assert git.diff(base, edits) == b""
    git.apply(b"", base)


def test_a_directory_becomes_a_file(base: Path, tmp_path: Path) -> None:
    only = tmp_path / "only"
    (only / "a").mkdir(parents=True)
    (only / "a" / "b").write_bytes(b"x\n")
    git.apply(git.diff(only, {"a/b": None, "a": b"y\n"}), only)
    assert (only / "a").read_bytes() == b"y\n"


def test_a_patch_that_does_not_fit_changes_nothing(base: Path, tmp_path: Path) -> None:
    patch = git.diff(base, EDITS)
    trees.build_tree(base, {"pkg/old.py": b"gone = False\n"}, tmp_path / "other")
    before = trees.tree_hash(tmp_path / "other")
    with pytest.raises(ValueError, match="does not apply"):
        git.apply(patch, tmp_path / "other")
    with pytest.raises(ValueError, match="does not apply"):
        git.apply(b"nonsense\n", tmp_path / "other")
    assert trees.tree_hash(tmp_path / "other") == before


def test_a_machine_that_fails_says_nothing_of_the_patch(base: Path) -> None:
    (base / "big").write_bytes(bytes(100_000))
    lines = ("diff --git a/big b/copy", "similarity index 100%", "copy from big", "copy to copy")
    patch = "".join(f"{line}\n" for line in lines).encode()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, before[1]))
    try:
        with pytest.raises(git.GitError):  # the system kills git
            git.apply(patch, base)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    (base / "copy").unlink()
    git.apply(patch, base)
    full = git.GitError("apply", "error: failed to write to 'x': No space left on device\n")
    assert full.of_machine
    assert not git.GitError("apply", "error: x: File name too long\n").of_machine


@pytest.mark.parametrize("name", ["../out.py", "linkdir/out.py"])
def test_a_patch_cannot_leave(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "linkdir").symlink_to(tmp_path, target_is_directory=True)
    patch = (
        f"diff --git a/{name} b/{name}\nnew file mode 100644\n"
        f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n"
    )
    with pytest.raises(ValueError, match="does not apply"):
        git.apply(patch.encode(), root)
    assert not (tmp_path / "out.py").exists()


def test_a_patch_applies_inside_another_repository(base: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git.commit_all(outer)
    trees.build_tree(base, {}, outer / "inner")
    git.apply(git.diff(base, {"pkg/old.py": None}), outer / "inner")
    assert not (outer / "inner" / "pkg" / "old.py").exists()


def test_one_commit_holds_exactly_the_bytes(base: Path) -> None:
    tree = trees.tree_hash(base)
    commit = git.commit_all(base)
    git_dir = base / ".git"
    assert git.run(git_dir, ["rev-parse", "HEAD^{tree}"]).decode().strip() == tree
    assert git.run(git_dir, ["rev-list", "--all"]).decode().split() == [commit]
    assert git.run(git_dir, ["status", "--porcelain"], work_tree=base) == b""
    assert trees.tree_hash(base) == tree
    with pytest.raises(ValueError, match="already"):
        git.commit_all(base)


@pytest.mark.parametrize("binary", [False, True])
def test_what_is_not_committed_is_a_patch(base: Path, tmp_path: Path, binary: bool) -> None:
    commit = git.commit_all(base)
    changed = tmp_path / "changed"
    shutil.copytree(base, changed, symlinks=True)
    (changed / "pkg" / "mixed.py").write_bytes(b"\xe9")
    (changed / "link").unlink()
    (changed / "new.bin").symlink_to("run.sh")
    (changed / "run.sh").chmod(0o644)
    patch = git.uncommitted(changed, binary=binary)
    assert patch.isascii() == binary
    git.apply(patch, base)
    assert trees.tree_hash(base) == trees.tree_hash(changed)
    assert git.head(base) == commit


def test_the_commit_tells_nothing_of_who_and_when(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees.build_tree(base, {}, tmp_path / "again")
    first = git.commit_all(base)
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert git.commit_all(tmp_path / "again") == first


def test_nothing_of_the_repository_runs(base: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    script.chmod(0o755)
    git.commit_all(base)
    git_dir = base / ".git"
    hooks = git_dir / "hooks"
    hooks.mkdir()
    for hook in ("pre-commit", "post-checkout", "reference-transaction", "post-index-change"):
        (hooks / hook).symlink_to(script)
    with (git_dir / "config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {script}\n\thooksPath = {hooks}\n")
        config.write(f'[filter "evil"]\n\tclean = {script}\n\tsmudge = {script}\n')
    git.run(git_dir, ["status", "--porcelain"], work_tree=base)
    git.run(git_dir, ["add", "--all", "."], work_tree=base)
    git.apply(git.diff(base, EDITS), base)
    assert not mark.exists()


def test_an_error_tells_its_first_telling_line(tmp_path: Path) -> None:
    with pytest.raises(git.GitError, match=r"^git rev-parse: fatal: not a git repository"):
        git.run(tmp_path / "absent", ["rev-parse", "HEAD"], work_tree=tmp_path)


def test_a_repository_tells_nothing_of_when_and_where_it_was_made(
    base: Path, tmp_path: Path
) -> None:
    again = tmp_path / "elsewhere" / "again"
    shutil.copytree(base, again, symlinks=True)
    os.utime(again / "data.bin", (1, 1))
    for root in (base, again):
        git.commit_all(root)
    contents = [
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (base, again)
    ]
    assert contents[0] == contents[1]
    assert Path(".git/index") in contents[0]
    assert (
        subprocess.run(["git", "status", "--short"], cwd=again, capture_output=True).stdout == b""
    )
