"""The two layouts of a vector."""

from pathlib import Path

import pytest

from featuredel.leaks.plant import Unmade, Vector
from featuredel.leaks.plant.layout import lay


def made(root: Path, *names: str) -> Path:
    for name in names:
        (root / "made" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "made" / name).write_text(name)
    return root / "made"


def names(root: Path) -> list[str]:
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if not p.is_dir())


def laid(tmp_path: Path, vector: Vector, *files: str) -> tuple[list[str], list[str]]:
    plain, neutral = tmp_path / "plain", tmp_path / "neutral"
    lay(made(tmp_path, *files), vector, plain, neutral)
    return names(plain), names(neutral)


def test_only_what_is_picked_is_laid_out(tmp_path: Path) -> None:
    vector = Vector("caches", (".cache/**/*.json",))
    plain, neutral = laid(tmp_path, vector, ".cache/a/one.json", ".cache/two.txt", "three.json")
    assert plain == [".cache/a/one.json"]
    assert neutral == ["f00000"]


def test_companions_of_a_database_keep_their_ends(tmp_path: Path) -> None:
    files = ("cache.db", "cache.db-wal", "other.db")
    _, neutral = laid(tmp_path, Vector("databases", ("*.db*",)), *files)
    assert neutral == ["f00000", "f00000-wal", "f00001"]


def test_of_a_repository_only_the_folder_is_renamed(tmp_path: Path) -> None:
    vector = Vector("git", ("project",), renaming="top")
    plain, neutral = laid(tmp_path, vector, "project/.git/HEAD", "project/.git/objects/ab/c")
    assert plain == ["project/.git/HEAD", "project/.git/objects/ab/c"]
    assert neutral == ["f00000/.git/HEAD", "f00000/.git/objects/ab/c"]


def test_names_that_are_the_content_stay(tmp_path: Path) -> None:
    plain, neutral = laid(tmp_path, Vector("names", ("file/*",), renaming="never"), "file/secret")
    assert plain == neutral == ["file/secret"]


def test_links_stay_links(tmp_path: Path) -> None:
    (made(tmp_path, "file") / "link").symlink_to("/nowhere")
    lay(tmp_path / "made", Vector("link", ("link",)), tmp_path / "plain", tmp_path / "neutral")
    assert (tmp_path / "neutral" / "f00000").readlink() == Path("/nowhere")


def test_nothing_of_the_kind_is_no_vector(tmp_path: Path) -> None:
    with pytest.raises(Unmade, match=r"nothing like \*\.pyc"):
        laid(tmp_path, Vector("bytecode", ("*.pyc",)), "file.py")
