import os
import subprocess
from pathlib import Path

import pytest
from looking import CODE, NAME, of_files

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "a"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "a@example.com"),
}


def git(root: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "gc.auto=0", *words],
        cwd=root,
        env=ENVIRONMENT,
        check=True,
        capture_output=True,
    )


def shown(root: Path) -> set[str]:
    return {where for where, content in of_files(root).items() if NAME in content}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose last commit takes the code out."""
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init")
    (root / "core.py").write_text(CODE + "x = 1\n" * 200)
    git(root, "add", ".")
    git(root, "commit", "-m", "one")
    (root / "core.py").write_text("x = 1\n" * 200)
    git(root, "commit", "-am", "two")
    return root


def packs(root: Path) -> int:
    return len(list(root.rglob("*.pack")))


def test_history_is_read_loose_and_packed(repository: Path) -> None:
    assert any("objects/" in where for where in shown(repository))
    git(repository, "gc")
    assert packs(repository) == 1
    assert any(".pack!blob " in where for where in shown(repository))


def test_what_nothing_refers_to_is_read(repository: Path) -> None:
    git(repository, "gc")
    git(repository, "checkout", "--orphan", "new")
    git(repository, "commit", "-m", "new")
    git(repository, "branch", "-D", "master" if (repository / ".git/refs/heads/new") else "main")
    git(repository, "reflog", "expire", "--expire=all", "--all")
    assert any(".pack!blob " in where for where in shown(repository))


def test_notes_stashes_and_reflogs_are_read(repository: Path) -> None:
    git(repository, "checkout", "--orphan", "clean")
    git(repository, "commit", "-m", "clean")
    for words in (
        ["notes", "add", "-m", "about zorptastic_merge"],
        ["tag", "-m", NAME.decode(), "t"],
    ):
        before = shown(repository)
        git(repository, *words)
        assert shown(repository) - before
    before = shown(repository)
    (repository / "core.py").write_text(CODE)
    git(repository, "stash")
    assert shown(repository) - before
    git(repository, "commit", "--allow-empty", "-m", "about zorptastic_merge")
    assert ".git/logs/HEAD" in shown(repository)


def test_a_bundle_and_a_pack_lying_loose_are_read(repository: Path, tmp_path: Path) -> None:
    loose = tmp_path / "loose"
    loose.mkdir()
    git(repository, "bundle", "create", str(loose / "x.bundle"), "--all")
    git(repository, "gc")
    next(repository.rglob("*.pack")).rename(loose / "neutral.dat")
    found = shown(loose)
    assert {where.partition("!")[0] for where in found} == {"x.bundle", "neutral.dat"}


def test_a_pack_without_its_bases_shows_what_is_new_in_it(repository: Path, tmp_path: Path) -> None:
    loose = tmp_path / "loose"
    loose.mkdir()
    git(repository, "reset", "--hard", "HEAD")
    (repository / "core.py").write_text("x = 1\n" * 200 + "zorptastic_merge()\n")
    git(repository, "commit", "-am", "three")
    git(repository, "bundle", "create", str(loose / "x.bundle"), "HEAD", "^HEAD~1")
    assert shown(loose)


def test_nothing_that_a_repository_says_is_run(repository: Path, tmp_path: Path) -> None:
    git(repository, "gc")
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    with (repository / ".git" / "config").open("a") as config:
        config.write(
            f"[core]\n\tfsmonitor = {script}\n\tpager = {script}\n\tsshCommand = {script}\n"
        )
        config.write(f'[remote "o"]\n\turl = ext::{script}\n\tpromisor = true\n')
        config.write("[extensions]\n\tpartialClone = o\n")
    assert any(".pack!blob " in where for where in shown(repository))
    assert not ran.exists()
