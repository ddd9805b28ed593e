import os
import socket
from pathlib import Path
from typing import Any

import pytest
from candidates import FILES, deletion, write

from featuredel.submission import MAX_FILE_BYTES, allowed_paths, may_cross, submission

ALLOWED = ("calc/", "docs/api.rst")


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return write(tmp_path / "task")


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    return write(tmp_path / "solved")


def test_an_untouched_tree_changes_nothing(task: Path, solved: Path) -> None:
    found = submission(task, solved, ALLOWED)
    assert (found.edits, found.dropped) == ({}, ())


def test_source_crosses(task: Path, solved: Path) -> None:
    (solved / "calc/core.py").unlink()
    write(solved, {"calc/more.py": b"x", "calc/deep/new.py": b"y", "docs/api.rst": b"z"})
    found = submission(task, solved, ALLOWED)
    assert found.edits == {
        "calc/core.py": None, "calc/more.py": b"x", "calc/deep/new.py": b"y", "docs/api.rst": b"z",
    }  # fmt: skip
    assert found.dropped == ()


@pytest.mark.parametrize(
    "path",
    [
        "conftest.py", "calc/conftest.py", "calc/tests/__init__.py", "calc/test_new.py",
        "tests/test_core.py", "pyproject.toml", "pytest.ini", "calc/setup.cfg", "pytest.py",
        "calc/sitecustomize.py", "calc/fast.so", "calc/core.pyc", "calc/.hidden.py", "evil.pth",
        "evil-1.0.dist-info/entry_points.txt", "Makefile", "README.md",
    ],
)  # fmt: skip
def test_what_never_crosses(task: Path, solved: Path, path: str) -> None:
    write(solved, {path: b"cheat"})
    found = submission(task, solved, ALLOWED)
    assert found.edits == {}
    assert len(found.dropped) == 1 and path.startswith(found.dropped[0])


def test_a_removed_test_is_dropped(task: Path, solved: Path) -> None:
    (solved / "tests/test_core.py").unlink()
    found = submission(task, solved, ALLOWED)
    assert (found.edits, found.dropped) == ({}, ("tests/test_core.py",))


def test_bytecode_is_told_once(task: Path, solved: Path) -> None:
    write(solved, {f"calc/__pycache__/m{i}.pyc": b"" for i in range(9)})
    assert submission(task, solved, ALLOWED).dropped == ("calc/__pycache__/",)


def test_links_and_devices_never_cross(task: Path, solved: Path, tmp_path: Path) -> None:
    (solved / "calc/core.py").unlink()
    (solved / "calc/core.py").symlink_to("/etc/passwd")
    (solved / "calc/etc").symlink_to("/etc")
    os.mkfifo(solved / "calc/pipe.py")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(solved / "calc/socket.py"))
    found = submission(task, solved, ALLOWED)
    assert found.edits == {}
    assert found.dropped == ("calc/core.py", "calc/etc", "calc/pipe.py", "calc/socket.py")


def test_a_directory_behind_a_link_is_not_entered(task: Path, solved: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside", {"secret.py": b"x"})
    (solved / "calc/sub").symlink_to(tmp_path / "outside")
    assert submission(task, solved, ALLOWED).edits == {}


def test_a_huge_file_is_dropped(task: Path, solved: Path) -> None:
    with (solved / "calc/more.py").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    found = submission(task, solved, ALLOWED)
    assert (found.edits, found.dropped) == ({}, ("calc/more.py",))


def test_what_is_binary_by_its_content_is_dropped(task: Path, solved: Path) -> None:
    for path in ("calc/tables.dat", "docs/api.rst"):
        (solved / path).parent.mkdir(exist_ok=True)
        (solved / path).write_bytes(b"PK\x03\x04\0\0")
    found = submission(task, solved, ALLOWED)
    assert found.dropped == ("calc/tables.dat",)
    assert list(found.edits) == ["docs/api.rst"]  # gold touches that very path


def test_a_path_that_is_too_long_is_dropped(task: Path, solved: Path) -> None:
    here = Path.cwd()
    os.chdir(solved / "calc")
    try:
        for _ in range(60):  # longer than any path may be that is given whole
            Path("deep" * 25).mkdir()
            os.chdir("deep" * 25)
        Path("new.py").write_bytes(b"x")
    finally:
        os.chdir(here)
    found = submission(task, solved, ALLOWED)
    assert found.edits == {}
    assert [path.startswith("calc/deepdeep") for path in found.dropped] == [True]


def test_a_directory_that_cannot_be_read_is_told(
    task: Path, solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir = os.scandir

    def closed(path: Path) -> Any:
        if Path(path) == solved / "calc":
            raise PermissionError(path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", closed)
    found = submission(task, solved, ALLOWED)
    assert found.edits == {}
    assert "calc/" in found.dropped


def test_protected_and_ignored_paths(task: Path, solved: Path) -> None:
    write(solved, {"calc/data.txt": b"x", "STATEMENT.md": b"y"})
    found = submission(task, solved, ALLOWED, ["calc/data.txt"], ["STATEMENT.md"])
    assert (found.edits, found.dropped) == ({}, ("calc/data.txt",))


def test_a_file_in_place_of_a_protected_directory(task: Path, solved: Path) -> None:
    write(solved, {"calc/tests": b"not a directory"})
    found = submission(task, solved, ALLOWED, ["calc/tests/test_in.py"])
    assert (found.edits, found.dropped) == ({}, ("calc/tests",))


def test_a_module_may_become_a_package(task: Path, solved: Path) -> None:
    (solved / "calc/core.py").unlink()
    write(solved, {"calc/core/__init__.py": b"x"})
    found = submission(task, solved, ALLOWED)
    assert found.edits == {"calc/core.py": None, "calc/core/__init__.py": b"x"}


def test_the_repository_itself_is_not_looked_at(task: Path, solved: Path) -> None:
    write(solved, {".git/hooks/post-commit": b"x"})
    assert submission(task, solved, ALLOWED).dropped == ()


def test_allowed_paths_are_source_roots_and_gold(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            **FILES,
            "src/pkg/__init__.py": b"", "src/pkg/sub/__init__.py": b"",
            "src/pkg/tests/__init__.py": b"", "tests/__init__.py": b"",
            "docs/ext/__init__.py": b"", "single.py": b"", "docs/api.rst": b"",
        },
    )  # fmt: skip
    gold = ("calc/more.py", "single.py", "docs/api.rst")
    found = allowed_paths(root, deletion(gold_paths=gold))
    assert found == ("calc/", "docs/api.rst", "single.py", "src/pkg/")
    assert all(may_cross(path, found) for path in gold)
