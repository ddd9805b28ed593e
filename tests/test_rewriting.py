"""A folder is rewritten whole or not at all."""

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from featuredel import rewriting
from featuredel.errors import InfrastructureError
from featuredel.rewriting import rewritten

PARTS = ("part/a", "part/b", "other/c", "z")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "around" / "data"
    for part in PARTS:
        (root / part).parent.mkdir(parents=True, exist_ok=True)
        (root / part).write_text("old")
    return root


def replace(file: Path) -> None:
    new = file.with_name("new")
    new.write_text("new")
    new.replace(file)


def content(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_text() for path in files}


def test_what_was_replaced_is_new_and_the_rest_stays(folder: Path) -> None:
    with rewritten(folder) as copy:
        replace(copy / "part" / "a")
        (copy / "z").unlink()
        assert content(folder) == dict.fromkeys(PARTS, "old")
    assert content(folder) == {"part/a": "new", "part/b": "old", "other/c": "old"}
    assert list(folder.parent.iterdir()) == [folder]


def test_an_error_leaves_all_as_it_was(folder: Path) -> None:
    def fail() -> None:
        with rewritten(folder) as copy:
            replace(copy / "z")
            raise ValueError("told")

    with pytest.raises(ValueError, match="told"):
        fail()
    assert content(folder) == dict.fromkeys(PARTS, "old")
    assert list(folder.parent.iterdir()) == [folder]


def test_a_name_that_leads_to_the_folder_stays_one(folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to("data")
    with rewritten(link) as copy:
        replace(copy / "z")
    assert link.is_symlink()
    assert content(folder)["z"] == "new"


def test_a_change_by_another_is_not_lost(folder: Path) -> None:
    def rewrite() -> None:
        with rewritten(folder) as copy:
            replace(copy / "z")
            (folder / "z").write_text("theirs")

    with pytest.raises(InfrastructureError, match="another process changed it; run this again"):
        rewrite()
    assert content(folder) == {**dict.fromkeys(PARTS, "old"), "z": "theirs"}


def test_a_reader_never_finds_a_mixture(folder: Path) -> None:
    """Folders of which every file says the same number change places while a reader looks."""
    seen: set[frozenset[str]] = set()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            place = os.open(folder, os.O_RDONLY)
            try:
                texts = set()
                for part in PARTS:
                    file = os.open(part, os.O_RDONLY, dir_fd=place)
                    texts.add(os.read(file, 10).decode())
                    os.close(file)
            except FileNotFoundError:  # the old folder, which is being removed
                continue
            finally:
                os.close(place)
            seen.add(frozenset(texts))

    reader = threading.Thread(target=look)
    reader.start()
    try:
        for number in range(100):
            with rewritten(folder) as copy:
                for part in PARTS:
                    new = copy / "new"
                    new.write_text(str(number))
                    new.replace(copy / part)
    finally:
        done.set()
        reader.join()
    assert seen
    assert all(len(texts) == 1 for texts in seen)


KILLED = """
import sys, time
from pathlib import Path
from featuredel.rewriting import rewritten
with rewritten(Path(sys.argv[1])) as copy:
    (copy / "z").unlink()
    print("half done", flush=True)
    time.sleep(60)
"""


def test_what_a_killed_rewrite_left_goes_with_the_next(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half done\n"
        process.send_signal(signal.SIGKILL)
    assert content(folder) == dict.fromkeys(PARTS, "old")
    assert len(list(folder.parent.iterdir())) == 2
    with rewritten(folder) as copy:
        replace(copy / "z")
    assert list(folder.parent.iterdir()) == [folder]
    assert content(folder)["z"] == "new"


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EXDEV])
def test_where_folders_cannot_change_places_files_move(
    number: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(one: Path, other: Path) -> None:
        raise OSError(number, "told")

    def rename(file: Path, target: Path) -> None:
        if number == errno.EXDEV and file.parent != target.parent:  # as from another disk
            refuse(file, target)
        file.rename(target)

    monkeypatch.setattr(Path, "replace", rename)
    monkeypatch.setattr(rewriting, "_exchange", refuse)
    with rewritten(folder) as copy:
        replace(copy / "part" / "a")
        (copy / "part" / "b").unlink()
        (copy / "more").mkdir()
        replace(copy / "more" / "d")
    assert content(folder) == {"part/a": "new", "other/c": "old", "z": "old", "more/d": "new"}


def test_any_other_refusal_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(one: Path, other: Path) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(rewriting, "_exchange", refuse)
    with pytest.raises(PermissionError), rewritten(folder) as copy:
        replace(copy / "z")
    assert content(folder) == dict.fromkeys(PARTS, "old")


def test_files_are_copied_where_there_are_no_links(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with rewritten(folder) as copy:
        replace(copy / "z")
    assert content(folder) == {**dict.fromkeys(PARTS, "old"), "z": "new"}
