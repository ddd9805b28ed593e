"""The directories that stand for an environment of Harbor: what an agent made is never followed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from featuredel_harbor.place import STANDING, Place

from featuredel.sandbox import HOME


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "root")
    made.root.mkdir()
    made.lay_out()
    return made


def test_commands_see_what_is_at_the_top(place: Place) -> None:
    seen = {mount.target: mount for mount in place.mounts()}
    assert set(STANDING) == set(seen) and HOME in seen
    assert all(mount.writable for mount in seen.values())
    place.put_file(Path(__file__), "/other/deep/file")
    assert "/other" in {mount.target for mount in place.mounts()}


def test_trees_go_in_and_out(place: Place, tmp_path: Path) -> None:
    source, back = tmp_path / "source", tmp_path / "back"
    (source / "a").mkdir(parents=True)
    (source / "a" / "file").write_text("text")
    (source / "link").symlink_to("a/file")
    place.put_tree(source, "/workspace")
    place.take_tree("/workspace", back)
    assert (back / "a" / "file").read_text() == "text"
    assert (back / "link").readlink() == Path("a/file")
    place.take_file("/workspace/a/file", tmp_path / "new" / "file")
    assert (tmp_path / "new" / "file").read_text() == "text"


def test_what_an_agent_closed_comes_out(place: Place, tmp_path: Path) -> None:
    closed = place.path("/workspace") / "closed"
    closed.mkdir()
    (closed / "file").write_text("text")
    (closed / "file").chmod(0)
    closed.chmod(0)
    os.mkfifo(place.path("/workspace") / "pipe")
    place.take_tree("/workspace", tmp_path / "back")
    assert (tmp_path / "back" / "closed" / "file").read_text() == "text"
    assert not (tmp_path / "back" / "pipe").exists()


@pytest.mark.parametrize(
    "seen", ["/workspace/out", "/workspace/out/file", "/workspace/../../x", "/"]
)
def test_no_path_leads_out(place: Place, tmp_path: Path, seen: str) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "file").write_text("secret")
    (place.path("/workspace") / "out").symlink_to(secret)
    acts: tuple[Callable[[], None], ...] = (
        lambda: place.take_tree(seen, tmp_path / "back"),
        lambda: place.take_file(seen, tmp_path / "back"),
        lambda: place.put_file(Path(__file__), seen),
        lambda: place.put_tree(secret, seen),
    )
    for act in acts:
        with pytest.raises(OSError):
            act()
    assert sorted(path.name for path in secret.iterdir()) == ["file"]
    assert not (tmp_path / "back").exists()


def test_what_is_not_there_is_not_there(place: Place, tmp_path: Path) -> None:
    for take in (place.take_file, place.take_tree):
        with pytest.raises(FileNotFoundError):
            take("/workspace/none", tmp_path / "back")
