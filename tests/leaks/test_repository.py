"""A solver's repository stores its tree and nothing else."""

import subprocess
from pathlib import Path

import pytest

from featuredel import git
from featuredel.leaks.repository import explain_repository, stores_apart


@pytest.fixture
def solver(tmp_path: Path) -> Path:
    """Return a directory with one commit."""
    root = tmp_path / "solver"
    (root / "pkg" / "empty").mkdir(parents=True)
    (root / "pkg" / "a.py").write_text("x = 1\n")
    (root / "run").write_text("#!/bin/sh\n")
    (root / "run").chmod(0o755)
    (root / "link").symlink_to("run")
    git.commit_all(root)
    return root


def found(root: Path) -> list[str]:
    return [finding.detail for finding in explain_repository(root)]


def run(root: Path, *words: str, stdin: str = "") -> str:
    author = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(
        ["git", "-C", str(root), *author, *words], input=stdin, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return done.stdout.strip()


def test_a_first_commit_is_explained(solver: Path) -> None:
    assert found(solver) == []
    assert found(solver) == []  # packed or not
    run(solver, "repack", "-adq")
    assert found(solver) == []


def test_an_object_that_nothing_reaches(solver: Path) -> None:
    run(solver, "hash-object", "-w", "--stdin", stdin="def gone(): ...\n")
    assert found(solver) == ["a blob that is not of the tree"]


def test_a_history(solver: Path) -> None:
    (solver / "pkg" / "a.py").write_text("x = 2\n")
    run(solver, "commit", "-aqm", "second")
    assert "a second commit" in found(solver)
    assert len(found(solver)) == 4  # the old blob, and the trees above it


def test_a_store_elsewhere(solver: Path) -> None:
    (solver / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (solver / ".git" / "objects" / "info" / "alternates").write_text("/elsewhere\n")
    assert "not a store of objects" in found(solver)


def test_all_else_of_the_directory_is_to_be_scanned(solver: Path) -> None:
    names = [path.relative_to(solver).as_posix() for path in stores_apart(solver)]
    assert {"link", "pkg", "run", ".git/HEAD", ".git/config", ".git/index"} <= set(names)
    assert not [name for name in names if "objects" in name]
