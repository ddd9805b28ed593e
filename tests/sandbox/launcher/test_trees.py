from pathlib import Path

import pytest

from featuredel.sandbox.launcher import trees


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Return a source, a layer below it, and a target, all empty."""
    places = (tmp_path / "source", tmp_path / "layer", tmp_path / "target")
    for place in places:
        place.mkdir()
    return places


def names(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_modes_times_and_links_are_copied(places: tuple[Path, Path, Path]) -> None:
    source, _, target = places
    (source / "d").mkdir(mode=0o711)
    program = source / "d" / "program"
    program.write_bytes(b"x" * 3_000_000)
    program.chmod(0o4750)
    (source / "dangling").symlink_to("nowhere")
    trees.copy(str(source), str(target))
    copy = target / "d" / "program"
    assert copy.read_bytes() == program.read_bytes()
    assert copy.stat().st_mode & 0o7777 == 0o750  # without set-user-id
    assert copy.stat().st_mtime_ns == program.stat().st_mtime_ns
    assert (target / "d").stat().st_mode & 0o777 == 0o711
    assert (target / "dangling").readlink() == Path("nowhere")


def test_a_copy_replaces_what_is_in_its_way(places: tuple[Path, Path, Path]) -> None:
    lower, upper, target = places
    (lower / "was-directory" / "deep").mkdir(parents=True)
    (lower / "was-file").write_text("old")
    (lower / "was-link").symlink_to(lower / "was-file")
    (upper / "was-directory").write_text("file")
    (upper / "was-file").mkdir()
    (upper / "was-link").write_text("not through the link")
    trees.copy(str(lower), str(target))
    trees.copy(str(upper), str(target))
    assert names(target) == ["was-directory", "was-file", "was-link"]
    assert (target / "was-file").is_dir()
    assert (lower / "was-file").read_text() == "old"


def test_only_changes_are_copied(places: tuple[Path, Path, Path]) -> None:
    source, layer, target = places
    for root in (source, layer):
        (root / "same").mkdir()
        (root / "same" / "f").write_text("1")
        (root / "mode").write_text("1")
        (root / "content").write_text("1")
        (root / "link").symlink_to("a")
    (source / "mode").chmod(0o755)
    (source / "content").write_text("2")
    (source / "link").unlink()
    (source / "link").symlink_to("b")
    (layer / "only-below").write_text("1")
    (source / "new-empty").mkdir()
    trees.copy_changes(str(source), [str(layer)], str(target))
    assert names(target) == ["content", "link", "mode", "new-empty"]


def test_the_first_layer_decides_what_is_a_change(places: tuple[Path, Path, Path]) -> None:
    source, layer, target = places
    below = layer.with_name("below")
    below.mkdir()
    (source / "f").write_text("old")
    (layer / "f").write_text("new")
    (below / "f").write_text("old")
    trees.copy_changes(str(source), [str(layer), str(below)], str(target))
    assert names(target) == ["f"]
    trees.copy_changes(str(source), [str(below), str(layer)], str(target / ".."))
    assert not (target / ".." / "f").exists()
