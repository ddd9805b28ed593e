"""What processes that were killed leave in a work directory is cleared away, and nothing else."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from featuredel.errors import UsageError
from featuredel.scratch import (
    ABANDONED_S,
    alone,
    filled,
    scratch_directory,
    standing_scratch,
    sweep,
)

DIES = """
import os, sys
from pathlib import Path
from featuredel.scratch import scratch_directory, standing_scratch
with scratch_directory(Path(sys.argv[1])), standing_scratch(Path(sys.argv[2]), "x"):
    os.kill(os.getpid(), 9)
"""

DIES_FILLING = """
import os, sys
from pathlib import Path
from featuredel.scratch import filled
with filled(Path(sys.argv[1])) as place:
    (place / "file").touch()
    os.kill(os.getpid(), 9)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_dead_process_s_is_swept_and_a_living_one_s_is_not(tmp_path: Path) -> None:
    shelf = tmp_path / "environments"
    shelf.mkdir()
    (tmp_path / "kept").mkdir()
    subprocess.run([sys.executable, "-c", DIES, str(shelf), str(tmp_path)], check=False)
    assert len(names(shelf)) == 1
    with scratch_directory(shelf) as own, standing_scratch(tmp_path, "y") as standing:
        sweep(tmp_path)
        assert names(shelf) == [own.name]
        assert names(tmp_path) == sorted([standing.name, "environments", "kept"])


def test_a_number_that_another_process_has_now_is_not_the_dead_one(tmp_path: Path) -> None:
    with scratch_directory(tmp_path) as own:
        owner, start, name = own.name.rsplit("-", 2)
        (tmp_path / f"{owner}-{int(start) - 1}-{name}").mkdir()
        sweep(tmp_path)
        assert names(tmp_path) == [own.name]


def test_what_a_dead_process_has_among_temporary_files_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    command = [sys.executable, "-c", DIES, str(temporary), str(temporary)]
    subprocess.run(command, check=False)
    assert len(names(temporary)) == 2
    sweep(tmp_path / "work")
    assert names(temporary) == []


def test_a_directory_is_filled_at_the_end(tmp_path: Path) -> None:
    out = tmp_path / "out"
    subprocess.run([sys.executable, "-c", DIES_FILLING, str(out)], check=False)
    assert len(names(out)) == 1, "what the killed process left"
    with filled(out) as place:
        (place / "folder").mkdir()
        (place / "file").touch()
        (place / "link").symlink_to("link")
        assert names(out) == [place.parent.name]
    assert names(out) == ["file", "folder", "link"]
    with pytest.raises(UsageError, match="is there already"), filled(out):
        pass
    with pytest.raises(UsageError, match="is there already"), filled(out / "file"):
        pass
    assert names(out) == ["file", "folder", "link"]


def test_a_lock_does_not_outlast_its_holder_in_a_fork(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with alone(tmp_path / "lock"):
        child = os.fork()
        if child == 0:
            os.close(writer)
            os.read(reader, 1)
            os._exit(0)
    with alone(tmp_path / "lock"):
        os.close(writer)
    os.waitpid(child, 0)
    os.close(reader)


def test_another_machine_s_is_swept_when_it_is_old(tmp_path: Path) -> None:
    for name, age_s in (("old", 2 * ABANDONED_S), ("new", 0.0)):
        folder = tmp_path / f".scratch-else-where.7-1-{name}"
        (folder / "tree").mkdir(parents=True)
        os.utime(folder, (time.time() - age_s,) * 2)
    sweep(tmp_path)
    assert names(tmp_path) == [".scratch-else-where.7-1-new"]


def test_another_s_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".scratch-pad").mkdir()
    sweep(tmp_path)
    assert names(tmp_path) == [".scratch-pad"]


def test_what_stands_is_emptied_at_the_end(tmp_path: Path) -> None:
    with standing_scratch(tmp_path, "x") as first:
        (first / "tree").mkdir()
    with standing_scratch(tmp_path, "x") as second:
        assert (first, names(first)) == (second, [])


def test_a_work_directory_that_is_not_there_yet(tmp_path: Path) -> None:
    sweep(tmp_path / "work")
