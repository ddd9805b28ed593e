import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from featuredel.sandbox import cgroup


@pytest.fixture
def hierarchy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put an ordinary directory in the place of this process's group."""
    monkeypatch.setattr(cgroup, "own_group", lambda: tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    yield tmp_path


def test_without_the_controller_there_is_no_group(hierarchy: Path) -> None:
    hierarchy.chmod(0o555)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "write_text", refuse)
        assert cgroup.create(5) is None
    assert list(hierarchy.iterdir()) == []


def refuse(*arguments: object) -> None:
    raise PermissionError


def test_groups_of_the_dead_are_swept(hierarchy: Path) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    dead, alive = (hierarchy / f"{cgroup.PREFIX}{owner}-0" for owner in (process.pid, 1))
    other = hierarchy / "other"
    for group in (dead, alive, other):
        group.mkdir()
    cgroup.sweep()
    assert sorted(hierarchy.iterdir()) == sorted([alive, other])


def test_ordinary_users_have_no_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with cgroup.limited(5) as group:
        assert group is None


def test_names_do_not_repeat(hierarchy: Path) -> None:
    groups = {cgroup.create(5), cgroup.create(5)}
    assert len(groups) == 2
    assert all(group and (group / "pids.max").read_text() == "5" for group in groups)
